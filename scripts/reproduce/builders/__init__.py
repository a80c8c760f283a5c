"""Sets that are made of something public: each module has build(source, train, test)."""

from scripts.reproduce.builders import aloi_438, clinc150, lemma_fi

BUILDERS = {"aloi-438": aloi_438, "clinc150": clinc150, "lemma-fi": lemma_fi}
