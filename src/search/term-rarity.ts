// The most frequent words of the languages that most posts are written in, and of addresses.
const COMMON = new Set(
  (
    'a about after all also am an and any are as at back be because been but by can come could day did do don even first for ' +
    'from get go going good got had has have he her here him his how i if im in into is it its just know like ll lol love m ' +
    'make me more much my new no not now of off on one only or other our out over people re really right rt s say see she so ' +
    'some still t take than that the their them then there these they thing think this time to today too up us ve very want ' +
    'was way we well were what when where which who why will with work would year you your ' +
    'al como con de del el en es esta la las lo los más me mi muy no para pero por porque que se si sin su te un una y ya yo ' +
    'ao com da das do dos e em eu foi isso mais mas na nas não nem o os ou pra quem sem só tem tudo um uma você vai ' +
    'au aux avec ce ces c cette d dans des du elle est et il je j l le les leur mais n ne nous on ou où par pas plus pour qu ' +
    'qui sa sont sur tout tu vous ' +
    'aber als auch auf aus bei bin das dem den der die du ein eine er es für hat ich ist kein man mich mir mit nicht noch nur ' +
    'oder sich sie sind so und von war was wenn wie wir zu ' +
    'ada aja aku bisa dan dari di gak ini itu juga kalo ke lagi saya sama tapi udah yang yg ' +
    'bir bu da ben ve için çok ne и в не на я что с он как это а по но у из за к ты мы так же в من في على لا ما و أن هذا ' +
    'https http www com org net co html amp status'
  ).split(' '),
)

// A single character of a script without spaces is part of many words; kana occur in nearly every Japanese text.
const SINGLE_CHARACTER = /^[\p{Script=Han}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const KANA = /^[\p{Script=Hiragana}\p{Script=Katakana}]$/u

// Rough estimates: all that matters is which of two terms is likely to occur in fewer posts.
const COMMON_WORD = 0.001
const KINDS: Record<string, number> = {
  from: 10,
  from_name: 10,
  to: 10,
  to_name: 10,
  reposts_of: 5,
  reposts_of_name: 5,
  conversation_id: 20,
  in_reply_to_post_id: 20,
  reposts_of_post_id: 20,
  list: 2,
  from_affiliate_of: 2,
  to_affiliate_of: 2,
  url: 0.5,
  url_title: 0.5,
  url_description: 0.5,
  bio: 0.3,
  bio_name: 0.5,
  bio_location: 0.1,
  place: 0.5,
  place_country: 0.01,
  source: 0.001,
  has: 0.0001,
  is: 0.0001,
  lang: 0.0001,
}

/** How much rarer posts with a term are likely to be than posts with an ordinary word. */
export function rarityOf(term: string): number {
  const first = term[0]!
  if (term.length > 1 && (first === '#' || first === '$' || first === '@')) return 2
  const colon = term.indexOf(':')
  if (colon === -1) return wordRarity(term)
  const kind = term.slice(0, colon)
  const value = term.slice(colon + 1)
  const isWord = kind.startsWith('url') || kind.startsWith('bio')
  // An empty value stands for any value.
  return (KINDS[kind] ?? 1) * (value === '' ? 0.001 : isWord ? wordRarity(value) : 1)
}

function wordRarity(word: string): number {
  if (COMMON.has(word)) return COMMON_WORD
  if (KANA.test(word)) return 0.005
  return SINGLE_CHARACTER.test(word) ? 0.05 : 1
}
