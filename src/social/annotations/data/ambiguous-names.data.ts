const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/**
 * Names that are ordinary words or first names too. They count where they are written exactly like the name in the middle of a
 * sentence, or beside another name that is certain.
 */
export const COMMON_NAMES = words(
  `turkey chad jordan jersey georgia guinea phoenix cork santiago victoria charlotte austin hamilton florence sofia regina virginia clare
kerry mayo delta edo rivers plateau guerrero hidalgo cesar miranda lara magdalena jura surat tabasco bari faro natal leon salvador
lima valencia mali orlando columbus boulder portland marche uri zug muse disclosure lorde perfume rose robyn rema drake adele apple amazon
target visa shell meta oracle slack zoom discord telegram docker canonical notion canon bolt grab stripe seat jaguar dodge ford bumble
tinder puma converse vans subway chipotle caterpillar robinhood intel dell snowflake workday alphabet twitch patagonia corona bimbo vespa
variety wired billboard pitchfork valve steam arsenal chelsea roche iberia avis indigo tether sonic mario marvel diablo avatar frozen
inception parasite titanic wicked psycho vertigo whiplash moonlight hereditary roma dune gremlins loki fallout euphoria halo hades cosmos
venom stitch forrest elsa simba garfield winnie paddington bowser transformers monopoly survivor aspirin concorde android thunderbird
arcane barbie sherlock matilda petra arctic pantheon broadway easter spurs saracens sentinels millonarios corinthians cruzeiro
independiente emirates kindle coach oakley jameson hilton benin cuba togo oman wales holland america lotus swatch bleach`,
)

/** Names that are ordinary words first. They count only beside a name that is certain, or as a hashtag. */
export const WEAK_NAMES = words(
  `essen nice tours split para saga mie acre doc hoy podemos morena serial lost dark elite becoming educated friends community cheers
animal challengers twisters conclave clueless elf sinners weapons wednesday silo foundation homeland bones beloved uncharted satisfactory
sapiens folklore evermore lemonade thriller rumours nevermind sour blonde midnights goofy severance succession sneakers heartland amici
quotidien vera renascer fantastico audible ado imo lugano guarda meath duma volver encanto roadshow carnaval smartless outlander reacher us it
who ups sec ive exo twice seventeen psy iu txt rm saab rai vox stf anc icc fia natal bern holi cali`,
)
