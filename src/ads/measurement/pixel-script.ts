import { ADS_KEPT_NAMES, PIXEL_WORDS } from '../../legacy-words.ts'

const DAYS = 86_400

/**
 * The script of the pixel, for any website and any browser. It finds this server by its own address, keeps the click id of an
 * ad and a number of the visitor in cookies of the website, and reports what the website calls. It neither writes into the
 * page nor evaluates text. Pages that have the platform's own snippet call it by the same name.
 */
export const PIXEL_SCRIPT = `(function () {
  'use strict'
  var CALL = ${JSON.stringify(PIXEL_WORDS.call)}
  var CLICK = ${JSON.stringify(ADS_KEPT_NAMES.clickId)}
  var script = document.currentScript
  if (!script || !script.src) return
  var base = script.src.split('?')[0].replace(/\\/pixel\\.js$/, '/pixel/')
  var pixel = null

  function readCookie(name) {
    var found = document.cookie.split('; ').filter(function (item) { return item.indexOf(name + '=') === 0 })[0]
    return found ? decodeURIComponent(found.slice(name.length + 1)) : ''
  }
  function writeCookie(name, value, seconds) {
    document.cookie = name + '=' + encodeURIComponent(value) + '; max-age=' + seconds + '; path=/; samesite=lax' +
      (location.protocol === 'https:' ? '; secure' : '')
  }
  function clickId() {
    var given = new URLSearchParams(location.search).get(CLICK)
    if (given && /^[\\w-]{1,500}$/.test(given)) writeCookie('_' + CLICK, given, ${30 * DAYS})
    return readCookie('_' + CLICK)
  }
  function visitor() {
    var known = readCookie('_visitor')
    if (!/^[0-9a-f]{32}$/.test(known)) {
      var numbers = crypto.getRandomValues(new Uint8Array(16))
      known = Array.prototype.map.call(numbers, function (byte) { return ('0' + byte.toString(16)).slice(-2) }).join('')
    }
    writeCookie('_visitor', known, ${365 * DAYS})
    return known
  }
  function hash(text) {
    if (!window.crypto || !crypto.subtle) return Promise.resolve('')
    return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)).then(function (bytes) {
      return Array.prototype.map.call(new Uint8Array(bytes), function (byte) { return ('0' + byte.toString(16)).slice(-2) }).join('')
    })
  }
  function report(hit) {
    if (!pixel) return
    var body = JSON.stringify(hit)
    var address = base + encodeURIComponent(pixel) + '/hit'
    if (navigator.sendBeacon && navigator.sendBeacon(address, body)) return
    fetch(address, { method: 'POST', body: body, mode: 'no-cors', keepalive: true }).catch(function () {})
  }
  function hitOf(event) {
    var hit = { visitor: visitor() }
    var click = clickId()
    if (click) hit[CLICK] = click
    if (event) hit.event = event
    return hit
  }
  function track(event, values) {
    var hit = hitOf(event)
    var given = values || {}
    if (given.value !== undefined && given.value !== null) hit.value = given.value
    if (given.currency) hit.price_currency = given.currency
    if (given.num_items) hit.number_items = given.num_items
    if (given.conversion_id) hit.conversion_id = String(given.conversion_id)
    if (given.description) hit.description = String(given.description)
    if (!given.email_address) return report(hit)
    var email = String(given.email_address).trim().toLowerCase()
    var sent = /^[0-9a-f]{64}$/.test(email) ? Promise.resolve(email) : hash(email)
    sent.then(function (hashed) {
      if (hashed) hit.hashed_email = hashed
      report(hit)
    })
  }
  function call(what, name, values) {
    if (what === 'config' || what === 'init') {
      pixel = name
      report(hitOf())
    } else if (what === 'event') track(name, values)
  }

  var stub = window[CALL]
  var own = function () { call.apply(null, arguments) }
  own.exe = own
  own.queue = []
  window[CALL] = own
  if (script.dataset.pixel) call('config', script.dataset.pixel)
  if (stub) {
    stub.exe = own
    ;(stub.queue || []).forEach(function (item) { call.apply(null, item) })
  }
  if (script.dataset.event) call('event', script.dataset.event)
})()
`
