/** Targeting values that the platform has published for locations, and that examples and client libraries contain. */
export const PUBLISHED_VALUES: Readonly<Record<string, string>> = {
  'country:us': '96683cc9126741d1',
  'country:gb': '6416b8512febefc9',
  'country:ca': '3376992a082d67c7',
  'country:fr': 'f3bfc7dcc928977f',
  'country:de': 'fdcd221ac44fa326',
  'country:es': 'ecdce75d48b13b64',
  'country:mx': '25530ba03b7d90c6',
  'country:se': '82b141af443cb1b8',
  'metro:us-807': '5122804691e5fecc',
  'city:us-ca:san francisco': '5a110d312052166f',
  'city:us-ca:los angeles': '3b77caf94bfc81fe',
  'city:us-ny:new york': '27485069891a7938',
  'city:us-il:chicago': '1d9a5370a355ab0c',
  'city:au-vic:portland': '00a8b25e420adc94',
  'city:au-nsw:portland': '00638a3c43eadcf3',
}

/** Small cities of a country, each with its region: the first examples of the official client libraries target one of them. */
export const EXAMPLE_CITIES: Readonly<Record<string, string>> = { AU: 'Portland VIC|Portland NSW' }
