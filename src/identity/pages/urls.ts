/** Which addresses may stand in a page. Everything here answers the address unchanged, or null. */

/** Schemes that no callback may have: the platform's own list, and those that run or read things in a browser. */
const BANNED_SCHEMES = new Set(
  (
    'vbscript javascript vbs data mocha keyword livescript ftp file gopher acrobat callto daap itpc itms firefoxurl hcp ' +
    'ldap mailto mmst mmsu msbd rtsp mso-offdap snews news nntp outlook stssync rlogin telnet tn3270 shell sip ' +
    'about blob filesystem view-source chrome chrome-extension moz-extension resource jar intent ws wss'
  ).split(' '),
)

// A browser drops tabs and line ends inside an address and blanks around it; we refuse them instead.
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
function isLocalPath(address: string): boolean {
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

/** Where an app takes the user back: also a scheme of its own (`myapp://done`), but none that is banned. */
export function returnUrl(address: string | undefined): string | null {
  if (address === undefined) return null
  if (isLocalPath(address)) return address
  const scheme = schemeOf(address)
  return scheme === null || BANNED_SCHEMES.has(scheme) ? null : address
}

/** Where a form posts to. It is always the server's own doing, so anything but the web is a mistake in the program. */
export function formAction(address: string): string {
  const url = URL.canParse(address, 'http://server.invalid') ? new URL(address, 'http://server.invalid') : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new TypeError('A form can only post to a web address')
  return address
}

/** The host as the browser's address bar would name it, so that look-alike letters show up as `xn--`. */
export function hostOf(address: string): string {
  return new URL(address).host
}
