/** A link, mention or tag in a text: UTF-16 offsets, and the value without its sign (a url as it was typed). */
export interface TextEntity {
  kind: 'url' | 'mention' | 'hashtag' | 'cashtag'
  start: number
  end: number
  value: string
}
