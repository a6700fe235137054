import { describe, expect, test } from 'vitest'
import { type ComposedText, composeText } from '../../src/social/text/compose-text.ts'
import { truncateForDisplay } from '../../src/social/text/truncate-for-display.ts'
import type { WireText } from '../../src/social/text/wire-text.ts'

function compose(raw: string, attachedUrls?: string[]): ComposedText {
  let made = 0
  return composeText(raw, { shortLink: () => `https://t.co/link${String(made++).padStart(6, '0')}`, attachedUrls })
}

// The text at the offsets of each entity.
function slices({ text, entities }: WireText): string[] {
  const characters = Array.from(text)
  return Object.values(entities)
    .flat()
    .toSorted((one, other) => one.start - other.start)
    .map(({ start, end }) => characters.slice(start, end).join(''))
}

describe('a composed text', () => {
  test('is escaped, with a short link for each url', () => {
    const composed = compose('Fish & <chips> at https://www.example.com/menu @bob #food $FISH')
    expect(composed.text).toBe('Fish &amp; &lt;chips&gt; at https://t.co/link000000 @bob #food $FISH')
    expect(composed.entities).toEqual({
      urls: [
        {
          start: 28,
          end: 51,
          url: 'https://t.co/link000000',
          expanded_url: 'https://www.example.com/menu',
          display_url: 'example.com/menu',
        },
      ],
      mentions: [{ start: 52, end: 56, username: 'bob' }],
      hashtags: [{ start: 57, end: 62, tag: 'food' }],
      cashtags: [{ start: 63, end: 68, tag: 'FISH' }],
    })
    expect(composed.links).toEqual([{ url: 'https://www.example.com/menu', shortLink: 'https://t.co/link000000' }])
  })

  test('has offsets in code points that cut out the entity', () => {
    const composed = compose('😀👩🏽‍🚀 & @bob 日本 a.com 🇩🇪#tag $AB')
    expect(slices(composed)).toEqual(['@bob', 'https://t.co/link000000', '#tag', '$AB'])
  })

  test('has only the kinds that were found', () => {
    expect(compose('hello').entities).toEqual({})
    expect(Object.keys(compose('hello @bob').entities)).toEqual(['mentions'])
  })

  test('is in NFC', () => {
    const composed = compose('#cafe\u0301 @bob')
    expect(composed.text).toBe('#caf\u00e9 @bob')
    expect(slices(composed)).toEqual(['#caf\u00e9', '@bob'])
  })

  test('shortens the same url once', () => {
    const composed = compose('a.com b.com a.com http://a.com')
    expect(composed.links.map((link) => link.url)).toEqual(['http://a.com', 'http://b.com'])
    expect(composed.entities.urls?.map((url) => url.url.at(-1))).toEqual(['0', '1', '0', '0'])
  })

  test('ends with the attached urls, which weigh nothing', () => {
    const composed = compose('Look', ['https://example.com/messages/compose?recipient_id=2244994945'])
    expect(composed.text).toBe('Look https://t.co/link000000')
    expect(composed.entities.urls).toMatchObject([{ start: 5, end: 28, display_url: 'example.com/messages/compo…' }])
    expect(composed.weight).toBe(4)
    expect(compose('', ['https://a.com']).text).toBe('https://t.co/link000000')
  })

  test('has nothing that the database rejects', () => {
    expect(compose('a\0b\ud800c 😀').text).toBe('ab\ufffdc 😀')
  })

  test.each([
    ['example.com', 'http://example.com', 'example.com'],
    ['https://example.com/', 'https://example.com/', 'example.com'],
    [
      'https://www.youtube.com/playlist?list=PLFKjcMIU2Ws',
      'https://www.youtube.com/playlist?list=PLFKjcMIU2Ws',
      'youtube.com/playlist?list=…',
    ],
    [
      'https://developer.example.com/en/community',
      'https://developer.example.com/en/community',
      'developer.example.com/en/community',
    ],
    [
      'https://developer.example.com/en/use-cases/success',
      'https://developer.example.com/en/use-cases/success',
      'developer.example.com/en/use-cases/s…',
    ],
  ])('shows %s as the platform does', (typed, expanded_url, display_url) => {
    expect(compose(typed).entities.urls).toMatchObject([{ expanded_url, display_url }])
  })
})

describe('the short form of a long text', () => {
  const own = { url: 'https://example.com/i/web/status/1', shortLink: 'https://t.co/own0000000' }

  test('is the beginning, an ellipsis and a link to the post', () => {
    const short = truncateForDisplay(compose('x'.repeat(300)), own)
    expect(short.text).toBe(`${'x'.repeat(254)}… https://t.co/own0000000`)
    expect(slices(short)).toEqual(['https://t.co/own0000000'])
    expect(short.entities.urls?.[0]?.expanded_url).toBe(own.url)
    expect(compose(short.text).weight).toBe(280)
  })

  test('counts characters that weigh two', () => {
    expect(truncateForDisplay(compose('日'.repeat(200)), own).text).toBe(`${'日'.repeat(127)}… https://t.co/own0000000`)
  })

  test('is never cut inside an entity', () => {
    for (const entity of ['https://example.com/long/address', '@somebody', '#wordsinatag', '$ABCDEF']) {
      for (let before = 225; before < 256; before++) {
        const composed = compose(`${'x'.repeat(before)} ${entity} ${'y'.repeat(100)}`)
        const short = truncateForDisplay(composed, own)
        const last = slices(composed)[0]!
        expect([[last, own.shortLink], [own.shortLink]]).toContainEqual(slices(short))
        expect(compose(short.text.replaceAll('&amp;', '&')).weight).toBeLessThanOrEqual(280)
      }
    }
  })

  test('keeps the entities before the cut at their new offsets', () => {
    const composed = compose(`<@bob> & a.com ${'word '.repeat(80)} #late`)
    const short = truncateForDisplay(composed, own)
    expect(slices(short)).toEqual(['@bob', 'https://t.co/link000000', own.shortLink])
    expect(short.entities.hashtags).toBeUndefined()
  })

  test('is never cut inside what a reader sees as one character', () => {
    const family = '👨‍👩‍👧‍👦'
    const short = truncateForDisplay(compose(family.repeat(200)), own)
    expect(short.text).toBe(`${family.repeat(127)}… https://t.co/own0000000`)
    const letters = truncateForDisplay(compose('q\u0323\u0301'.repeat(200)), own)
    expect(letters.text).toBe(`${'q\u0323\u0301'.repeat(84)}… https://t.co/own0000000`)
  })

  test('is the text itself when that is short', () => {
    const composed = compose('short @bob')
    expect(truncateForDisplay(composed, own)).toEqual({ text: composed.text, entities: composed.entities })
  })
})
