"""Scores and tokenises text in several languages with the program METEOR 1.5.

    python tests/golden/make_meteor_languages.py meteor-1.5.jar

Writes `meteor_languages.jsonl`. The sentences are combined at random from the phrases
below, which were written for this file; the texts to tokenise from pieces that the
tokenizer looks at. This library is not used.
"""

import json
import pathlib
import random
import subprocess
import sys

from make_meteor_jar import score

FILE = pathlib.Path(__file__).parent / "meteor_languages.jsonl"
SEGMENTS = 200
# By language: beginnings, middles and ends of sentences.
PHRASES = {
    "de": (
        "Der Hund|Die Hunde|Ein kleines Mädchen|Dr. Müller|Die Frau des Bürgermeisters|"
        "„Der Präsident“|Zwei ältere Männer|Prof. Weiß|Nach Angaben der dpa|Ich",
        "läuft|laufen|lief schnell|hat gesagt, dass es regnet|spielt Fußball|spielten|"
        "verkaufte 3.000 Äpfel|fährt mit dem Fahrrad|hat's gesehen|sah z.B. das Haus",
        "über die Straße.|durch den Park!|in der Stadt, z. B. in Köln.|am 3. Oktober|"
        "für ca. 1,5 Mio. Euro.|mit den Kindern ...|- wie immer -|bzw. im Wald.|"
        'gegen 12 Uhr.|im "Haus am See".',
    ),
    "fr": (
        "L'homme|Les hommes|Une petite fille|M. Dupont|L’amie d'Anne|"
        "Deux vieilles dames|«Le président»|Aujourd'hui, il|Le Dr. Martin|On",
        "court|couraient|a couru vite|joue au football|jouent|n'a pas vu l'oiseau|"
        "mange 3.000 pommes|s'en va|est allée|qu'elle aime",
        "dans la rue.|à travers le parc !|en ville, c'est-à-dire à Lyon.|le 3 octobre|"
        "pour 1,5 million d'euros.|avec les enfants...|- comme toujours -|"
        "jusqu'au bois.|"
        'vers 12 h.|"chez Paul".',
    ),
    "es": (
        "El perro|Los perros|Una niña pequeña|El Sr. García|La mujer del alcalde|"
        "«El presidente»|Dos hombres mayores|¿Quién|Ud.|Yo",
        "corre|corrían|corrió rápido|juega al fútbol|jugaban|no ha visto el pájaro|"
        "vendió 3.000 manzanas|va en bicicleta|dijo que llueve|comiendo",
        "por la calle.|por el parque!|en la ciudad, p.ej. en Sevilla.|el 3 de octubre|"
        "por 1,5 millones de euros.|con los niños...|- como siempre -|hasta el bosque."
        '|a las 12 h.|en la "Casa Azul".',
    ),
    "cz": (
        "Pes|Psi|Malá holčička|Dr. Novák|Starostova žena|„Prezident“|Dva starší muži|"
        "Podle ČTK|Já|Ing. Dvořák",
        "běží|běželi|rychle běžel|hraje fotbal|hráli|neviděl ptáka|prodal 3.000 jablek|"
        "jede na kole|řekl, že prší|viděla např. dům",
        "přes ulici.|parkem!|ve městě, tj. v Brně.|3. října|za 1,5 milionu eur.|s dětmi"
        '...|- jako vždy -|až do lesa.|ve 12 hod.|v "Domě u jezera".',
    ),
    "ru": (
        "Собака|Собаки|Маленькая девочка|Г. Иванов|Жена мэра|«Президент»|Двое стариков|"
        "По данным ИТАР-ТАСС|Я|Проф. Петров",
        "бежит|бежали|быстро бежала|играет в футбол|играли|не видел птицу|продал 3.000"
        " яблок|едет на велосипеде|сказал, что идёт дождь|видела, напр. дом",
        "через улицу.|по парку!|в городе, т.е. в Москве.|3 октября|за 1,5 млн. евро.|с"
        ' детьми...|- как всегда -|до леса.|в 12 час.|в "Доме у озера".',
    ),
}
STAGES = {"cz": "exact"}
NORMALIZED = ("en", *PHRASES)
TEXTS = 250
PIECES = (
    (
        "a É ü ж Ꙃ Ž 1 23 x . . , ' ’ ` `` '' - -- – « » ¿ ¡ „ “ … .. ... : % Dr. "
        "U.S. z.B. d' l' o' 's § 东 😀 &quot; No. etc. Prof. M. Sr. т.е. г. bzw. p.ej. "
        "hod."
    ).split()
    + [" "] * 12
    + ["\u00a0", "\u2003", "\t"]
)


def main(jar):
    with FILE.open("w", encoding="utf-8", newline="\n") as file:
        for language in NORMALIZED:
            for punctuation in (True, False):
                entry = normalized(jar, language, punctuation)
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        for language, phrases in PHRASES.items():
            segments = drawn(random.Random(language), [p.split("|") for p in phrases])
            stages = STAGES.get(language, "exact stem")
            options = f"-l {language} -norm -m '{stages}'"
            entry = {"options": options, "segments": segments}
            entry |= score(jar, segments, options, False)
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def normalized(jar, language, punctuation):
    """Random texts, and the tokens that the program makes of them."""
    rng = random.Random(language)
    texts = ["".join(rng.choices(PIECES, k=rng.randint(1, 14))) for _ in range(TEXTS)]
    normalizer = "edu.cmu.meteor.util.Normalizer"
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", str(jar), normalizer]
    command += [language, "true" if punctuation else "false"]
    printed = subprocess.run(
        command,
        input="".join(f"{text}\n" for text in texts),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {
        "normalizes": language,
        "punctuation": punctuation,
        "texts": texts,
        "tokens": printed.split("\n")[:-1],
    }


def drawn(rng, phrases):
    """Pairs of sentences that share about two phrases of three, in any order."""
    segments = []
    for _ in range(SEGMENTS):
        reference = [rng.choice(choices) for choices in phrases]
        hypothesis = [
            own if rng.random() < 0.6 else rng.choice(choices)
            for own, choices in zip(reference, phrases, strict=True)
        ]
        if rng.random() < 0.3:
            rng.shuffle(hypothesis)
        segments.append(
            {"references": [" ".join(reference)], "hypothesis": " ".join(hypothesis)}
        )
    return segments


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
