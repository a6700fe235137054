// Folded words and phrases of five languages by which notes are judged. Phrases are matched as sequences of words.

const list = (text: string): string[] => text.split('|').map((item) => item.trim())

/** Words of those who report what others found. */
export const ATTRIBUTION = list(
  'according to|data|study|studies|report|reports|reported|published|confirmed|records|statistics|official|officials|stated|announced|' +
    'documented|shows|showed|found|evidence|source|sources|survey|census|percent|transcript|' +
    'segun|datos|estudio|informe|publico|confirmo|oficial|estadisticas|fuente|' +
    'selon|donnees|etude|rapport|publie|officiel|statistiques|' +
    'laut|daten|studie|bericht|veroffentlicht|bestatigt|amtlich|statistik|quelle|' +
    'segundo|dados|estudo|relatorio|publicou|confirmou|estatisticas|fonte',
)

/** Words of those who correct a claim or add to it. */
export const CORRECTION = list(
  'not|never|false|incorrect|misleading|inaccurate|actually|instead|however|contrary|context|omits|edited|altered|digitally|generated|' +
    'unrelated|taken from|originally|no evidence|debunked|outdated|satire|' +
    'falso|incorrecto|enganoso|en realidad|contexto|sin embargo|' +
    'faux|inexact|trompeur|en realite|contexte|cependant|' +
    'falsch|irrefuhrend|tatsachlich|kontext|jedoch|' +
    'incorreto|enganoso|na verdade|no entanto',
)

/** Words of those who speak about themselves and their views. */
export const OPINION = list(
  'i think|i believe|i feel|i guess|we think|we believe|in my opinion|in my view|my opinion|imo|imho|should|must be|everyone knows|' +
    'obviously|clearly|of course|honestly|frankly|' +
    'creo que|en mi opinion|pienso que|obviamente|deberia|' +
    'je pense|je crois|a mon avis|evidemment|devrait|' +
    'ich denke|ich glaube|meiner meinung nach|offensichtlich|sollte|' +
    'eu acho|na minha opiniao|acredito que|deveria',
)

/** Words of those who guess. */
export const SPECULATION = list(
  'probably|maybe|perhaps|possibly|might|could be|seems|apparently|presumably|likely|i bet|who knows|rumor|rumour|supposedly|allegedly|' +
    'quizas|tal vez|probablemente|parece|posiblemente|' +
    'peut etre|probablement|semble|sans doute|' +
    'vielleicht|wahrscheinlich|vermutlich|moglicherweise|scheint|' +
    'talvez|provavelmente|parece que|possivelmente',
)

/** Words that judge people or things, or insult. */
export const JUDGEMENT = list(
  'terrible|horrible|awful|disgusting|stupid|idiot|idiots|dumb|ridiculous|pathetic|shameful|liar|liars|lying|crazy|insane|evil|corrupt|' +
    'garbage|trash|moron|clown|best|worst|amazing|wonderful|great|beautiful|hate|love|' +
    'estupido|idiota|ridiculo|horrible|mentiroso|asqueroso|' +
    'stupide|idiot|ridicule|honteux|menteur|degoutant|' +
    'dumm|idiotisch|lacherlich|lugner|ekelhaft|schrecklich|' +
    'burro|ridiculo|mentiroso|nojento|horrivel',
)

/** Words that say nothing about the subject of a text. */
export const FILLER = new Set(
  list(
    'the|a|an|and|or|but|of|to|in|on|at|by|for|with|from|as|is|are|was|were|be|been|has|have|had|it|its|this|that|these|those|he|she|they|' +
      'we|you|i|his|her|their|our|your|my|not|no|so|if|than|then|there|here|who|what|when|where|which|will|would|can|could|about|into|over|' +
      'el|la|los|las|un|una|de|del|y|o|en|que|es|por|con|para|se|le|les|des|et|ou|est|dans|pour|sur|une|du|au|der|die|das|und|oder|ist|im|' +
      'von|mit|auf|fur|ein|eine|os|as|um|uma|do|da|e|no|na|com|para',
  ),
)
