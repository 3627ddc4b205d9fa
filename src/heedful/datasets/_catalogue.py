"""What the paper's tables must look like: rows and columns, and where they come from."""

from typing import NamedTuple

US_CHANGE_PAGE = "R package fpp3, data set us_change, as Rdatasets has it"
US_CHANGE_URL = "https://vincentarelbundock.github.io/Rdatasets/csv/fpp3/us_change.csv"


class Listed(NamedTuple):
    """A table of others: its number in the UCI repository (None if it is not there), rows, features, responses."""

    uci: int | None
    n: int
    features: list[str]
    targets: list[str]

    @property
    def page(self) -> str:
        """Where people find it."""
        return f"UCI Machine Learning Repository, id {self.uci}" if self.uci else US_CHANGE_PAGE

    @property
    def license(self) -> str:
        """What its owners allow."""
        return "CC BY 4.0" if self.uci else "GPL-3 (R package fpp3); the series are public data of US authorities"


def _listed(uci: int | None, n: int, features: str, targets: str) -> Listed:
    """Return a table from the names of its columns: commas between them, lines broken anywhere."""
    names = [[" ".join(name.split()) for name in text.split(",")] for text in (features, targets)]
    return Listed(uci, n, *names)


CATALOGUE = {
    "airfoil_self_noise": _listed(
        291,
        1503,
        "frequency, attack-angle, chord-length, free-stream-velocity, suction-side-displacement-thickness",
        "scaled-sound-pressure",
    ),
    "auto_mpg": _listed(
        9,
        398,
        "displacement, cylinders, horsepower, weight, acceleration, model_year, origin",
        "mpg",
    ),
    "automobile": _listed(
        10,
        205,
        """normalized-losses, make, fuel-type, aspiration, num-of-doors, body-style, drive-wheels, engine-location,
        wheel-base, length, width, height, curb-weight, engine-type, num-of-cylinders, engine-size, fuel-system,
        bore, stroke, compression-ratio, horsepower, peak-rpm, city-mpg, highway-mpg, price""",
        "symboling",
    ),
    "communities_and_crime": _listed(
        183,
        1994,
        """state, county, community, communityname, fold, population, householdsize, racepctblack, racePctWhite,
        racePctAsian, racePctHisp, agePct12t21, agePct12t29, agePct16t24, agePct65up, numbUrban, pctUrban,
        medIncome, pctWWage, pctWFarmSelf, pctWInvInc, pctWSocSec, pctWPubAsst, pctWRetire, medFamInc, perCapInc,
        whitePerCap, blackPerCap, indianPerCap, AsianPerCap, OtherPerCap, HispPerCap, NumUnderPov, PctPopUnderPov,
        PctLess9thGrade, PctNotHSGrad, PctBSorMore, PctUnemployed, PctEmploy, PctEmplManu, PctEmplProfServ,
        PctOccupManu, PctOccupMgmtProf, MalePctDivorce, MalePctNevMarr, FemalePctDiv, TotalPctDiv, PersPerFam,
        PctFam2Par, PctKids2Par, PctYoungKids2Par, PctTeen2Par, PctWorkMomYoungKids, PctWorkMom, NumIlleg, PctIlleg,
        NumImmig, PctImmigRecent, PctImmigRec5, PctImmigRec8, PctImmigRec10, PctRecentImmig, PctRecImmig5,
        PctRecImmig8, PctRecImmig10, PctSpeakEnglOnly, PctNotSpeakEnglWell, PctLargHouseFam, PctLargHouseOccup,
        PersPerOccupHous, PersPerOwnOccHous, PersPerRentOccHous, PctPersOwnOccup, PctPersDenseHous, PctHousLess3BR,
        MedNumBR, HousVacant, PctHousOccup, PctHousOwnOcc, PctVacantBoarded, PctVacMore6Mos, MedYrHousBuilt,
        PctHousNoPhone, PctWOFullPlumb, OwnOccLowQuart, OwnOccMedVal, OwnOccHiQuart, RentLowQ, RentMedian,
        RentHighQ, MedRent, MedRentPctHousInc, MedOwnCostPctInc, MedOwnCostPctIncNoMtg, NumInShelters, NumStreet,
        PctForeignBorn, PctBornSameState, PctSameHouse85, PctSameCity85, PctSameState85, LemasSwornFT,
        LemasSwFTPerPop, LemasSwFTFieldOps, LemasSwFTFieldPerPop, LemasTotalReq, LemasTotReqPerPop,
        PolicReqPerOffic, PolicPerPop, RacialMatchCommPol, PctPolicWhite, PctPolicBlack, PctPolicHisp,
        PctPolicAsian, PctPolicMinor, OfficAssgnDrugUnits, NumKindsDrugsSeiz, PolicAveOTWorked, LandArea, PopDens,
        PctUsePubTrans, PolicCars, PolicOperBudg, LemasPctPolicOnPatr, LemasGangUnitDeploy, LemasPctOfficDrugUn,
        PolicBudgPerPop""",
        "ViolentCrimesPerPop",
    ),
    "concrete_compressive_strength": _listed(
        165,
        1030,
        "Cement, Blast Furnace Slag, Fly Ash, Water, Superplasticizer, Coarse Aggregate, Fine Aggregate, Age",
        "Concrete compressive strength",
    ),
    "facebook_metrics": _listed(
        368,
        500,
        """Page total likes, Type, Category, Post Month, Post Weekday, Post Hour, Paid, Total Reach, Total Impressions,
        Engaged Users, Consumers, Consumptions, Impressions by people who have liked your Page, Reach by people who
        like your Page, People who have liked your Page and engaged with your post, comment, like, share""",
        "Total Interactions",
    ),
    "forest_fires": _listed(162, 517, "X, Y, month, day, FFMC, DMC, DC, ISI, temp, RH, wind, rain", "area"),
    "infrared_thermography_temperature": _listed(
        925,
        1020,
        """Gender, Age, Ethnicity, T_atm, Humidity, Distance, T_offset1, Max1R13_1, Max1L13_1, aveAllR13_1,
        aveAllL13_1, T_RC1, T_RC_Dry1, T_RC_Wet1, T_RC_Max1, T_LC1, T_LC_Dry1, T_LC_Wet1, T_LC_Max1, RCC1, LCC1,
        canthiMax1, canthi4Max1, T_FHCC1, T_FHRC1, T_FHLC1, T_FHBC1, T_FHTC1, T_FH_Max1, T_FHC_Max1, T_Max1, T_OR1,
        T_OR_Max1""",
        "aveOralF, aveOralM",
    ),
    "liver_disorders": _listed(60, 345, "mcv, alkphos, sgpt, sgot, gammagt", "drinks"),
    "real_estate_valuation": _listed(
        477,
        414,
        """X1 transaction date, X2 house age, X3 distance to the nearest MRT station, X4 number of convenience stores,
        X5 latitude, X6 longitude""",
        "Y house price of unit area",
    ),
    "servo": _listed(87, 167, "motor, screw, pgain, vgain", "class"),
    "stock_portfolio_performance": _listed(
        390,
        315,
        """Large B/P, Large ROE, Large S/P, Large Return Rate in the last quarter, Large Market Value, Small systematic
        Risk""",
        """Annual Return, Excess Return, Systematic Risk, Total Risk, Abs. Win Rate, Rel. Win Rate, Annual Return.1,
        Excess Return.1, Systematic Risk.1, Total Risk.1, Abs. Win Rate.1, Rel. Win Rate.1""",
    ),
    "us_change": _listed(None, 198, "Income, Production, Savings, Unemployment", "Consumption"),
}
UCI_TABLES = tuple(name for name, listed in CATALOGUE.items() if listed.uci)
