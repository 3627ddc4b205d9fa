# What heedful builds on of scikit-learn, which ships no types: without it every `self.` of an estimator is unchecked.
