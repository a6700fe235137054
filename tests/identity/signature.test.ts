import { describe, expect, test } from 'vitest'
import {
  baseAddress,
  parseAuthorization,
  percentEncode,
  signature,
  signatureBase,
} from '../../src/identity/oauth1/signature.ts'

test('the published check vector gives the published base string and signature', () => {
  const base = signatureBase('get', 'https://api.example.com/2/posts', [
    ['ids', '1,2'],
    ['post.fields', 'created_at'],
    ['oauth_consumer_key', 'key'],
    ['oauth_nonce', 'nonce'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1700000000'],
    ['oauth_token', 'tok'],
    ['oauth_version', '1.0'],
  ])
  expect(base).toBe(
    'GET&https%3A%2F%2Fapi.example.com%2F2%2Fposts&ids%3D1%252C2%26oauth_consumer_key%3Dkey%26oauth_nonce%3Dnonce%26' +
      'oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1700000000%26oauth_token%3Dtok%26oauth_version%3D1.0%26post.fields%3Dcreated_at',
  )
  expect(signature(base, 'cs', 'ts')).toBe('M/QnPUxda4hogOVt2k7QQPgkI00=')
})

test('the example of RFC 5849 with repeated and empty parameters gives its base string', () => {
  const base = signatureBase('POST', 'http://EXAMPLE.COM:80/request', [
    ['b5', '=%3D'],
    ['a3', 'a'],
    ['c@', ''],
    ['a2', 'r b'],
    ['oauth_consumer_key', '9djdj82h48djs9d2'],
    ['oauth_token', 'kkk9d7dh3k39sjv7'],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '137131201'],
    ['oauth_nonce', '7d8f3e4a'],
    ['c2', ''],
    ['a3', '2 q'],
  ])
  expect(base).toBe(
    'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26' +
      'oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26' +
      'oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
  )
})

test('parameters are ordered by name and then by value, byte by byte', () => {
  const base = signatureBase('GET', 'https://api.example.com/', [
    ['ab', '3'],
    ['a', '2'],
    ['a-b', '0'],
    ['b', '1'],
    ['a', '10'],
    ['B', '5'],
    ['é', '6'],
  ])
  expect(base).toBe(
    'GET&https%3A%2F%2Fapi.example.com%2F&%25C3%25A9%3D6%26B%3D5%26a%3D10%26a%3D2%26a-b%3D0%26ab%3D3%26b%3D1',
  )
})

test.each([
  ['Ladies + Gentlemen', 'Ladies%20%2B%20Gentlemen'],
  ['An encoded string!', 'An%20encoded%20string%21'],
  ['Dogs, Cats & Mice', 'Dogs%2C%20Cats%20%26%20Mice'],
  ['☃', '%E2%98%83'],
  ["!*'()", '%21%2A%27%28%29'],
  ['-._~AZaz09', '-._~AZaz09'],
])('%j is percent-encoded as %s', (text, encoded) => {
  expect(percentEncode(text)).toBe(encoded)
})

test.each([
  ['HTTPS://API.Example.com:443/2/Posts?ids=1', 'https://api.example.com/2/Posts'],
  ['http://api.example.com:80/2/posts', 'http://api.example.com/2/posts'],
  ['https://api.example.com:80/2/posts', 'https://api.example.com:80/2/posts'],
  ['http://api.example.com:8080/2/posts', 'http://api.example.com:8080/2/posts'],
  ['https://api.example.com', 'https://api.example.com/'],
  ['https://api.example.com/2/posts/%7e/a%20b', 'https://api.example.com/2/posts/%7e/a%20b'],
])('the address %s is signed as %s', (url, address) => {
  expect(baseAddress(url)).toBe(address)
})

test('a missing token secret leaves the ampersand at the end of the key', () => {
  // HMAC-SHA1 of "base" with the key "cs&", computed with OpenSSL.
  expect(signature('base', 'cs', '')).toBe('4LIHXsZ//boYzSP4VoU8yJSHkUE=')
})

describe('the Authorization header', () => {
  test('is read with any white space, in any case, with a realm and escapes', () => {
    const pairs = parseAuthorization('oauth  realm="https://x.example/", a%20b="c%2Fd" ,\t e="" ,')
    expect([...pairs!]).toEqual([
      ['realm', 'https://x.example/'],
      ['a b', 'c/d'],
      ['e', ''],
    ])
  })

  test.each(['Bearer abc', 'OAuth a=b', 'OAuth a="b" c="d"', 'OAuth a="%zz"', 'OAuth a="1", a="2"'])(
    'that reads %s is refused as unreadable',
    (header) => {
      expect(parseAuthorization(header)).toBeUndefined()
    },
  )
})
