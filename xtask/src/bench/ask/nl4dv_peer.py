"""What NL4DV takes for each question, in one process that has everything loaded.

    nl4dv_peer.py '[{"file": "x.csv", "questions": ["…"]}]'

Prints {"ms": […], "failed": n, "replaced": […]}. Models and word lists that are
not on this machine are replaced by something that does less, never more: the
time is then a lower bound, and what was replaced is said.
"""

import contextlib
import io
import json
import sys
import tempfile
import time
from types import SimpleNamespace

import nltk
import nltk.corpus
import spacy
import spacy.lang.en.stop_words
from nltk.tokenize import wordpunct_tokenize

replaced = []


def is_there(use):
    try:
        use()
    except (LookupError, OSError):
        return False
    return True


def provide_words():
    """Must come before NL4DV is imported, which takes these by name."""
    if not is_there(lambda: nltk.word_tokenize("a b")):
        nltk.word_tokenize = wordpunct_tokenize
        replaced.append("tokenizer (NLTK punkt): a regular expression")
    if not is_there(lambda: nltk.pos_tag(["a"])):
        nltk.pos_tag = lambda tokens: [(token, "NN") for token in tokens]
        replaced.append("tagger (NLTK perceptron): none")
    if not is_there(lambda: nltk.corpus.stopwords.words("english")):
        words = sorted(spacy.lang.en.stop_words.STOP_WORDS)
        nltk.corpus.stopwords = SimpleNamespace(words=lambda language: words)
        replaced.append("stop words (NLTK): spaCy's")
    if not is_there(lambda: nltk.corpus.wordnet.synsets("a")):
        nltk.corpus.wordnet = SimpleNamespace(synsets=lambda word: [])
        replaced.append("synonyms (WordNet): none")


def provide_parser():
    """The name of the model that NL4DV's documentation uses, or the path of an empty one."""
    if is_there(lambda: spacy.load("en_core_web_sm")):
        return "en_core_web_sm"
    folder = tempfile.mkdtemp()
    spacy.blank("en").to_disk(folder)
    replaced.append("dependency parser (spaCy en_core_web_sm): none")
    return folder


def main():
    provide_words()
    from nl4dv import NL4DV
    model = provide_parser()
    times, failed = [], 0
    for asked in json.loads(sys.argv[1]):
        with contextlib.redirect_stdout(io.StringIO()):
            peer = NL4DV(data_url=asked["file"], dependency_parser_config={"name": "spacy", "model": model, "parser": None})
            for question in asked["questions"]:
                begun = time.perf_counter()
                try:
                    peer.analyze_query(question)
                except Exception:
                    failed += 1
                times.append(1000 * (time.perf_counter() - begun))
    print(json.dumps({"ms": times, "failed": failed, "replaced": replaced}))


main()
