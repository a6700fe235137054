import { expect, test } from 'vitest'
import { composeText } from '../../src/social/text/compose-text.ts'
import { displayTextRange } from '../../src/social/text/display-range.ts'

function range(raw: string, isReply: boolean): [number, number] {
  const { text, entities } = composeText(raw, { shortLink: () => 'https://t.co/0123456789' })
  return displayTextRange(text, { isReply, entities })
}

test('a post is shown in full, counted in code points', () => {
  expect(range('@bob 😀 hello', false)).toEqual([0, 12])
  expect(range('a & b', false)).toEqual([0, 9])
})

test('a reply is shown without its leading mentions', () => {
  expect(range('@bob @carol hello @dave', true)).toEqual([12, 23])
  expect(range('hello @bob', true)).toEqual([0, 10])
})

test('a reply that has only mentions is shown in full', () => {
  expect(range('@bob @carol', true)).toEqual([0, 11])
})

test('links of attached media at the end are not shown', () => {
  const url = { start: 6, end: 29, url: 'https://t.co/0123456789', expanded_url: '', display_url: '', media_key: '3_1' }
  expect(displayTextRange('hello https://t.co/0123456789', { isReply: false, entities: { urls: [url] } })).toEqual([
    0, 5,
  ])
})
