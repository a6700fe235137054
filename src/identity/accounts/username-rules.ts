/** How a username looks. */
export const USERNAME_PATTERN = '^[A-Za-z0-9_]{1,15}$'

/**
 * Names that no user can have: the first parts of the addresses of pages and interfaces, and words that would be taken for one.
 * A test compares this list with the routes of the server.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    '_rostra 1 2 5 11 12 about ads compliance compose console explore favicon hashtag health help home i intent login logout mcp media messages ' +
    'notifications oauth oauth2 oembed privacy profile_images register robots search settings share signin signout signup terms tos'
  ).split(' '),
)

/** Whether a name is kept for addresses of the server, in upper or lower case. */
export const isReservedName = (username: string): boolean => RESERVED_NAMES.has(username.toLowerCase())

/** Why nobody can get a username; undefined when it is possible. */
export function usernameFault(username: string): string | undefined {
  if (!new RegExp(USERNAME_PATTERN).test(username))
    return 'A username has 1 to 15 letters, digits and underscores (A-Z, a-z, 0-9, _).'
  return isReservedName(username) ? reservedSentence(username) : undefined
}

export const reservedSentence = (username: string): string =>
  `The username ${username} is reserved. Pages of the server have such names.`
