import { describe, expect, test } from 'vitest'
import { findEntities } from '../../src/social/text/find-entities.ts'
import type { TextEntity } from '../../src/social/text/text-entity.ts'

function values(kind: TextEntity['kind'], text: string): string[] {
  return findEntities(text)
    .filter((entity) => entity.kind === kind)
    .map((entity) => entity.value)
}

describe('urls', () => {
  test.each<[what: string, text: string, urls: string[]]>([
    [
      'with scheme',
      'text http://example.com and HTTPS://Example.ORG/X',
      ['http://example.com', 'HTTPS://Example.ORG/X'],
    ],
    ['bare domains', 'foo.com foo.co.jp www.foo.co.uk foo.comm foo.baz', ['foo.com', 'foo.co.jp', 'www.foo.co.uk']],
    ['bare country domains need no path', 'it.so foo.jp bit.ly/abcde', ['it.so', 'foo.jp', 'bit.ly/abcde']],
    [
      'closing punctuation stays outside',
      'see http://example.com/. (a.com), "b.com"!',
      ['http://example.com/', 'a.com', 'b.com'],
    ],
    ['balanced parentheses belong to a path', '(http://a.org/Primer_(film))', ['http://a.org/Primer_(film)']],
    ['one pair inside another', 'http://a.org/x(b(c)d)e', ['http://a.org/x(b(c)d)e']],
    ['an open parenthesis ends a path', 'http://a.org/x(b', ['http://a.org/x']],
    ['port, query and fragment', 'http://h.com:3000/a?b=c&d#e.', ['http://h.com:3000/a?b=c&d#e']],
    ['a query needs a path on a bare domain', 'foo.com?a=b foo.com/?a=b', ['foo.com', 'foo.com/?a=b']],
    [
      'between signs of other scripts',
      'これは日本語です。example.com中国語t.co/abcde한국',
      ['example.com', 't.co/abcde'],
    ],
    ['a scheme after another script', 'テストhttp://example.com/abcde', ['http://example.com/abcde']],
    [
      'domains in other scripts, with scheme',
      'http://ああ.com http://foobar.みんな/',
      ['http://ああ.com', 'http://foobar.みんな/'],
    ],
    ['a bare name under a domain of another script', 'example.みんなです', ['example.みんな']],
    ['encoded domains', 'http://xn--ls8h.XN--ls8h.la/', ['http://xn--ls8h.XN--ls8h.la/']],
    ['accented Latin', 'test ELPAÍS.com', ['ELPAÍS.com']],
    ['Cyrillic in a path', 'http://example.com/Русские_слова', ['http://example.com/Русские_слова']],
    ['a low line in a subdomain only', 'http://a_b.c-d.com http://c_d.com', ['http://a_b.c-d.com']],
    ['not with a hyphen at an edge', 'http://-a.com http://a-.com http://a.-b.com', []],
    ['not after a sign of another entity', '#test.com @test.com $test.com #http://test.com', []],
    ['not in a mail address', 'john.doe@example.com john.doe.jp@mail.com', []],
    ['not a file name', 'long.test.tar.bz2 v1.2.3 e.g. 3.14', []],
    ['a typing mistake after the domain', 'http://domain.com_that', ['http://domain.com']],
    ['many full stops', `http://example.com/path${'.'.repeat(40)}`, ['http://example.com/path']],
    [
      'a short link ends with its code',
      "http://t.co/pbY2NfTZ's http://t.co/abc-",
      ['http://t.co/pbY2NfTZ', 'http://t.co/abc'],
    ],
    ['an address in a query', 'http://a.com?r=https://b.com/c', ['http://a.com?r=https://b.com/c']],
    ['between direction marks', '\u2066\u202aabcdef.com\u202c\u2069', ['abcdef.com']],
    ['labels of more than 63 characters', `http://${'a'.repeat(64)}.com http://${'あ'.repeat(70)}.com`, []],
    ['more than 4096 characters', `http://a.com/${'x'.repeat(4096)}`, []],
  ])('the urls of a text are found: %s', (_, text, urls) => {
    expect(values('url', text)).toEqual(urls)
  })
})

describe('mentions', () => {
  test.each<[what: string, text: string, names: string[]]>([
    ['at any place', '@alice hi @bob_2\n@carol', ['alice', 'bob_2', 'carol']],
    ['full-width sign', '＠alice', ['alice']],
    ['between signs of other scripts', 'の@usernameに', ['username']],
    ['after an old repost mark', 'RT@a RT:@b rt @c', ['a', 'b', 'c']],
    ['not in a mail address', 'me@example.com @test@example.com', []],
    ['not after some signs', 'f!@a f@@b f#@c f$@d f%@e f&@f f*@g', []],
    ['not before an accent or a scheme', '@aliceì @http://example.com', []],
    ['not a list', '@alice/list @bob/7', ['bob']],
    ['not a name that is too long', '@abcdefghijklmno @abcdefghijklmnop', ['abcdefghijklmno']],
  ])('the mentions of a text are found: %s', (_, text, names) => {
    expect(values('mention', text)).toEqual(names)
  })
})

describe('hashtags', () => {
  test.each<[what: string, text: string, tags: string[]]>([
    ['letters and digits', '#hashtag #1st #easyas123 #a_b', ['hashtag', '1st', 'easyas123', 'a_b']],
    ['not without a letter', '#123 #_ #1_2 #१२३४', []],
    [
      'any script',
      '#mañana #ашок #日本語 #트위터 #עַל־יְדֵי #ผู้เริ่ม',
      ['mañana', 'ашок', '日本語', '트위터', 'עַל־יְדֵי', 'ผู้เริ่ม'],
    ],
    ['signs inside words', '#il·lusió #メ～テレ', ['il·lusió', 'メ～テレ']],
    ['letters beyond the first plane', '#\u{20021}', ['\u{20021}']],
    ['full-width sign', '！＃日本語。', ['日本語']],
    ['after punctuation and emoji', '(#a) .#b ✌️#c 👍🏽#d', ['a', 'b', 'c', 'd']],
    ['not after a letter or an ampersand', 'a#b 日#本 &#c', []],
    ['not before another sign or a scheme', '#a#b #http://example.com', []],
    ['not a keycap', '#️⃣', []],
    ['not inside a url', 'http://example.com/#tag', []],
  ])('the hashtags of a text are found: %s', (_, text, tags) => {
    expect(values('hashtag', text)).toEqual(tags)
  })
})

describe('cashtags', () => {
  test.each<[what: string, text: string, tags: string[]]>([
    ['one to six letters', '$T $Stock $symbol $sevenab', ['T', 'Stock', 'symbol']],
    ['with an ending', '$TEST.T $Stock_X $AB.CDE', ['TEST.T', 'Stock_X', 'AB']],
    ['closing punctuation stays outside', '$TEST. $TEST_', ['TEST', 'TEST']],
    ['not with digits', '$123 $test123', []],
    ['only after a blank', '$OK$NG text$NO ($NO)', ['OK']],
  ])('the cashtags of a text are found: %s', (_, text, tags) => {
    expect(values('cashtag', text)).toEqual(tags)
  })
})

describe('all entities', () => {
  test('are in order, with offsets in UTF-16 units of the given text', () => {
    const text = '😀 $AAPL @bob #tag a.com'
    expect(findEntities(text)).toEqual([
      { kind: 'cashtag', start: 3, end: 8, value: 'AAPL' },
      { kind: 'mention', start: 9, end: 13, value: 'bob' },
      { kind: 'hashtag', start: 14, end: 18, value: 'tag' },
      { kind: 'url', start: 19, end: 24, value: 'a.com' },
    ])
  })

  test('do not overlap: a url wins', () => {
    expect(findEntities('#日a.com')).toEqual([{ kind: 'url', start: 2, end: 7, value: 'a.com' }])
  })

  test('are none in plain text', () => {
    expect(findEntities('Nothing here, really!')).toEqual([])
  })

  test.each([
    'a_b.com_c.com'.repeat(1900),
    '日a.com'.repeat(4000),
    `${'@'.repeat(25_000)}日`,
    '#1'.repeat(12_500),
    `http://a.com/${'('.repeat(24_000)}`,
    'a.'.repeat(12_500),
  ])('are found quickly in the longest text too (%#)', (text) => {
    const start = performance.now()
    findEntities(text)
    expect(performance.now() - start).toBeLessThan(1000)
  })
})
