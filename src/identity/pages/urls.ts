// Which addresses a page may have. The functions that check an address return it unchanged, or null.

/** Schemes that the platform does not allow in callbacks. */
export const BANNED_CALLBACK_SCHEMES: ReadonlySet<string> = new Set(
  (
    'vbscript javascript vbs data mocha keyword livescript ftp file gopher acrobat callto daap itpc itms firefoxurl hcp ' +
    'ldap mailto mmst mmsu msbd rtsp mso-offdap snews news nntp outlook stssync rlogin telnet tn3270 shell sip'
  ).split(' '),
)

/** Schemes that a page never links to: those, and the ones that a browser handles itself. */
const BANNED_SCHEMES: ReadonlySet<string> = new Set([
  ...BANNED_CALLBACK_SCHEMES,
  ...'about blob filesystem view-source chrome chrome-extension moz-extension resource jar intent ws wss'.split(' '),
])

// A browser drops tabs and line breaks in an address and spaces around it; here they are refused.
const UNSAFE_CHARACTERS = /[\u0000-\u0020\u007f\\]/

function schemeOf(address: string): string | null {
  if (UNSAFE_CHARACTERS.test(address)) return null
  try {
    return new URL(address).protocol.slice(0, -1)
  } catch {
    return null
  }
}

/** A path on this server: `/2/problems`. Not `//elsewhere`. */
export function isLocalPath(address: string): boolean {
  return /^\/(?!\/)/.test(address) && !UNSAFE_CHARACTERS.test(address)
}

/** `https://…` or `http://…`. */
export function webUrl(address: string | undefined): string | null {
  if (address === undefined) return null
  const scheme = schemeOf(address)
  return scheme === 'https' || scheme === 'http' ? address : null
}

/** A web address or a path on this server. */
export function linkUrl(address: string | undefined): string | null {
  if (address === undefined) return null
  return isLocalPath(address) ? address : webUrl(address)
}

/** Where an app takes the user back. It may have its own scheme (`myapp://done`), but not a banned one. */
export function returnUrl(address: string | undefined): string | null {
  if (address === undefined) return null
  if (isLocalPath(address)) return address
  const scheme = schemeOf(address)
  return scheme === null || BANNED_SCHEMES.has(scheme) ? null : address
}

/** Where a form posts to. The server itself makes this address, so another scheme is a programming error. */
export function formAction(address: string): string {
  const url = URL.canParse(address, 'http://server.invalid') ? new URL(address, 'http://server.invalid') : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new TypeError('A form can only post to a web address')
  return address
}

/** The host as a browser's address bar shows it: look-alike letters appear as `xn--`. */
export function hostOf(address: string): string {
  return new URL(address).host
}
