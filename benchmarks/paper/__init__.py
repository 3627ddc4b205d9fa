"""The paper's tables, figures and sections, measured again."""
