import type { Cast, Scene } from '../scene.ts'
import type { Examples } from './example.ts'

const draft = {
  title: 'How to write an example',
  content_state: {
    blocks: [
      { type: 'header-one', text: 'Short', inline_style_ranges: [{ offset: 0, length: 5, style: 'bold' }] },
      {
        type: 'unstyled',
        text: 'See here, #soon.',
        entity_ranges: [{ key: 0, offset: 4, length: 4 }],
        data: { hashtags: [{ from_index: 10, to_index: 15, text: 'soon' }] },
      },
    ],
    entities: [{ key: '0', value: { type: 'link', mutability: 'mutable', data: { url: 'https://example.com/' } } }],
  },
}

async function drafted({ server }: Scene, cast: Cast): Promise<string> {
  const made = await server.post('/2/articles/draft', draft, cast.user)
  if (made.status !== 201) throw new Error(`The example draft was refused: ${made.text}`)
  return made.body.data.id
}

export const examples: Examples = {
  articleCreateDraft: () => [{ as: 'user', body: draft }],
  articlePublish: async (scene, cast) => [{ as: 'user', path: { article_id: await drafted(scene, cast) } }],
}
