import { shortLink } from '../links/short-link.ts'
import { composeText } from '../text/compose-text.ts'

/** The bio and url of a profile as they are stored. Members that were not given are undefined. */
interface ProfileText {
  description: string | undefined
  descriptionEntities: string | null
  url: string | undefined
  urlEntities: string | null
  links: string[]
}

/** Finds the entities of a bio, and shortens its links and the url of the profile. */
export function profileText(given: { description?: string; url?: string }): ProfileText {
  const description = given.description === undefined ? undefined : composeText(given.description, { shortLink })
  const url = given.url === undefined || given.url === '' ? undefined : composeText(given.url, { shortLink })
  const hasEntities = description !== undefined && Object.keys(description.entities).length > 0
  return {
    description: description?.text,
    descriptionEntities: hasEntities ? JSON.stringify(description.entities) : null,
    url: given.url === '' ? '' : url?.text,
    urlEntities: url?.entities.urls ? JSON.stringify({ urls: url.entities.urls }) : null,
    links: [...(description?.links ?? []), ...(url?.links ?? [])].map((link) => link.url),
  }
}
