"""A real browser, without network. Nothing here is collected unless ``HEEDFUL_BROWSER=1``: `make test-browser`."""

import json
import os
import shutil

import pytest

collect_ignore_glob = [] if os.environ.get("HEEDFUL_BROWSER") == "1" else ["test_*.py"]
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage "
    "--disable-background-networking --disable-component-update --disable-sync --hide-scrollbars"
)
# What a browser itself looks up is not the page's doing; the page's own requests start here.
INSIDE = ("file:", "data:", "about:", "blob:")


# What any page does: sort, and draw. About three quarters of a second of a processor of 2.5 GHz.
PLAIN_WORK = """
const words = Array.from({length: 400000}, (_, i) => String(Math.sin(i))).sort();
const space = "http://www.w3.org/2000/svg", picture = document.createElementNS(space, "svg");
for (let i = 0; i < 20000; i++) {
  const dot = document.createElementNS(space, "circle");
  for (const [name, value] of [["cx", i % 700], ["cy", i % 400], ["r", 3]]) dot.setAttribute(name, value);
  picture.appendChild(dot);
}
document.body.appendChild(picture);
return [words[0], picture.getBBox().width];
"""


class Page:
    """One report in the browser."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, fragment=""):
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        # what the page itself has worked, not what else the machine had to do
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        # a fragment of the page that is open would not open it anew
        self.driver.get("about:blank")
        self.driver.get(path.resolve().as_uri() + fragment)
        assert self.run("return document.documentElement.dataset.ready") == "yes", self.complaints()
        return self

    @property
    def seconds(self):
        """The CPU seconds that the page's thread has worked since the page was opened."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return {metric["name"]: metric["value"] for metric in metrics}["ThreadTime"]

    def plain_work(self):
        """Return the CPU seconds that this browser needs now for work that has nothing to do with reports."""
        self.driver.get("about:blank")
        before = self.seconds
        self.run(PLAIN_WORK)
        return self.seconds - before

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, name):
        return self.run("return document.getElementById(arguments[0]).innerText", name)

    def find(self, name):
        return self.driver.find_element("id", name)

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def search(self, *keys):
        """Click the search box and type."""
        self.find("search").click()
        self.press(*keys)

    def emulate(self, width=None, scheme="light"):
        """Show the page as a phone of this width does, or in a colour scheme; without arguments as before."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        if width is None:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        else:
            size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": True}
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    @property
    def query(self):
        return self.text("query-head").removeprefix("Query ")

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Return every address that was asked for since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [entry["params"] for entry in messages if entry["method"] == "Network.requestWillBeSent"]
        return [entry["request"]["url"] for entry in sent]

    def leaks(self):
        return [address for address in self.requests() if not address.startswith(INSIDE)]


@pytest.fixture(scope="session")
def driver():
    from selenium import webdriver

    chromium, chromedriver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and chromedriver):
        pytest.fail("chromium and chromedriver are needed, got none. Run tools/install_browser.sh.")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument("--window-size=1000,900")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    yield browser
    browser.quit()


@pytest.fixture
def page(driver):
    driver.set_window_size(1000, 900)
    opened = Page(driver)
    opened.emulate()
    yield opened
    opened.emulate()
