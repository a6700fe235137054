import { type Html, html } from '../../identity/pages/html.ts'
import { webUrl } from '../../identity/pages/urls.ts'
import type { ArticleDraft } from '../../social/articles/article.body.ts'
import type { PageRequest } from '../page-request.ts'
import { mediaItem } from '../parts/media.ts'
import { ownAddress } from '../parts/own-address.ts'
import type { MediaView } from '../parts/views.ts'

type Content = ArticleDraft['content_state']
type Block = Content['blocks'][number]
type Entity = Content['entities'][number]

/** What an article shows besides its text. */
export interface ArticleParts {
  /** By media id. */
  media: ReadonlyMap<string, MediaView>
  /** The cards of posts, by id. */
  posts: ReadonlyMap<string, Html>
}

/** The blocks of an article. Items of a list that follow each other become one list. */
export function articleBlocks(page: PageRequest, { blocks, entities }: Content, parts: ArticleParts): Html {
  const byKey = new Map(entities.map((entity) => [entity.key, entity]))
  const written: Html[] = []
  for (let at = 0; at < blocks.length; at += 1) {
    const { type } = blocks[at]!
    if (type !== 'unordered-list-item' && type !== 'ordered-list-item') {
      written.push(blockOf(page, blocks[at]!, byKey, parts))
      continue
    }
    let end = at
    while (blocks[end + 1]?.type === type) end += 1
    const items = blocks.slice(at, end + 1).map((block) => html`<li dir="auto">${textOf(page, block, byKey)}</li>`)
    written.push(type === 'ordered-list-item' ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`)
    at = end
  }
  return html`${written}`
}

function blockOf(page: PageRequest, block: Block, entities: ReadonlyMap<string, Entity>, parts: ArticleParts): Html {
  if (block.type === 'atomic')
    return html`${(block.entity_ranges ?? []).map(({ key }) => figureOf(page, entities.get(String(key)), parts))}`
  const text = textOf(page, block, entities)
  // The title of the page is the first heading.
  if (block.type === 'header-one') return html`<h2 dir="auto">${text}</h2>`
  if (block.type === 'header-two') return html`<h3 dir="auto">${text}</h3>`
  if (block.type === 'header-three') return html`<h4 dir="auto">${text}</h4>`
  if (block.type === 'blockquote') return html`<blockquote dir="auto">${text}</blockquote>`
  return html`<p dir="auto">${text}</p>`
}

/** A picture, a post or a link that stands by itself. */
function figureOf(page: PageRequest, entity: Entity | undefined, parts: ArticleParts): Html | '' {
  if (!entity) return ''
  const { type, data } = entity.value
  if (type === 'post')
    return parts.posts.get(data.post_id ?? '') ?? html`<p class="quoted soft">This post cannot be shown.</p>`
  if (type === 'link') return linkOf(page, data.url, data.caption ?? data.url ?? '')
  const shown = (data.media_items ?? []).flatMap(({ media_id: id }) => {
    const item = parts.media.get(id)
    return (item && mediaItem(page, item)) ?? []
  })
  return shown.length === 0
    ? ''
    : html`<figure><div class="media n${Math.min(4, shown.length)}">${shown}</div>${data.caption ? html`<figcaption class="soft small">${data.caption}</figcaption>` : ''}</figure>`
}

function linkOf(page: PageRequest, url: string | undefined, text: string | Html): Html {
  const target = webUrl(url)
  if (target === null) return html`${text}`
  const own = ownAddress(page, target)
  return own === undefined
    ? html`<a href="${target}" rel="nofollow ugc noopener">${text}</a>`
    : html`<a href="${own}">${text}</a>`
}

/** A part of a text that is marked in some way; offsets count UTF-16 units. */
interface Range {
  from: number
  to: number
  wrap(inner: Html): Html
}

const STYLES: Record<string, (inner: Html) => Html> = {
  bold: (inner) => html`<strong>${inner}</strong>`,
  italic: (inner) => html`<em>${inner}</em>`,
  strikethrough: (inner) => html`<s>${inner}</s>`,
}

/** The text of a block. It is cut wherever a range begins or ends, so ranges may overlap in any way. */
function textOf(page: PageRequest, block: Block, entities: ReadonlyMap<string, Entity>): Html {
  const ranges = [...linksOf(page, block, entities), ...stylesOf(block)]
  const cuts = new Set([0, block.text.length, ...ranges.flatMap(({ from, to }) => [from, to])])
  const places = [...cuts].filter((at) => at >= 0 && at <= block.text.length).toSorted((left, right) => left - right)
  return html`${places.slice(0, -1).map((from, index) => {
    const inner = html`${block.text.slice(from, places[index + 1])}`
    return ranges
      .filter((range) => range.from <= from && from < range.to)
      .reduceRight((text, range) => range.wrap(text), inner)
  })}`
}

const stylesOf = (block: Block): Range[] =>
  (block.inline_style_ranges ?? []).map(({ offset, length, style }) => ({
    from: offset,
    to: offset + length,
    wrap: STYLES[style] ?? ((inner) => inner),
  }))

/** Links, of which at most one is at any place: a link in a link is not possible. */
function linksOf(page: PageRequest, block: Block, entities: ReadonlyMap<string, Entity>): Range[] {
  const { mount } = page.runtime
  const search = (text: string) => `${mount}/search?q=${encodeURIComponent(text)}`
  const local = (href: string) => (inner: Html) => html`<a href="${href}">${inner}</a>`
  const found = (
    items: { from_index: number; to_index: number; text: string }[] | undefined,
    wrapOf: (text: string) => Range['wrap'],
  ) => (items ?? []).map((item) => ({ from: item.from_index, to: item.to_index, wrap: wrapOf(item.text) }))
  const all: Range[] = [
    ...(block.entity_ranges ?? []).flatMap(({ key, offset, length }) => {
      const value = entities.get(String(key))?.value
      return value?.type === 'link'
        ? { from: offset, to: offset + length, wrap: (inner: Html) => linkOf(page, value.data.url, inner) }
        : []
    }),
    ...found(
      block.data?.urls,
      (text) => (inner) => linkOf(page, /^https?:/i.test(text) ? text : `http://${text}`, inner),
    ),
    ...found(block.data?.mentions, (text) =>
      /^@?\w{1,15}$/.test(text) ? local(`${mount}/${text.replace(/^@/, '')}`) : (inner) => inner,
    ),
    ...found(block.data?.hashtags, (text) => local(search(`#${text.replace(/^#/, '')}`))),
    ...found(block.data?.cashtags, (text) => local(search(`$${text.replace(/^\$/, '')}`))),
  ]
  const kept: Range[] = []
  for (const range of all) if (kept.every(({ from, to }) => range.to <= from || range.from >= to)) kept.push(range)
  return kept
}
