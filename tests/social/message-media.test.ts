import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeGif, makePng } from '../support/make-media.ts'
import { type As, startTestServer, type TestServer } from '../support/server.ts'
import { rows } from './acting.ts'
import { byOAuth2, makeGroup, sendMessage, trySending } from './messaging.ts'
import { sendForm, uploadWhole } from './uploading.ts'

let server: TestServer
let [alice, bob, dario]: As[] = []
beforeAll(async () => {
  server = await startTestServer([], { events: true })
  ;[alice, bob, dario] = await Promise.all(['alice', 'bob', 'dario'].map((name) => byOAuth2(server, name)))
})
afterAll(() => server.close())

const picture = () => uploadWhole(server, makePng(), 'dm_image')
const attached = (mediaId: string, text?: string) => ({ attachments: [{ media_id: mediaId }], text })

/** The media item of a message as a user sees it. */
async function mediaOf(eventId: string, as: As) {
  const read = await server.get(`/2/dm_events/${eventId}?expansions=attachments.media_keys&media.fields=url,type`, as)
  return { data: read.body.data, media: read.body.includes?.media?.[0], errors: read.body.errors }
}

const download = async (url: string, as: As) => {
  const { pathname } = new URL(url)
  return server.get(pathname, as)
}

describe('a message with a media item', () => {
  test('shows it to both users, who download it with OAuth 2.0', async () => {
    const { id, media_key: key } = await picture()
    const sent = await sendMessage(server, 'alice', 'bob', attached(id))
    for (const reader of [alice!, bob!]) {
      const { data, media } = await mediaOf(sent.dm_event_id, reader)
      expect(data).toEqual({ id: sent.dm_event_id, event_type: 'MessageCreate', attachments: { media_keys: [key] } })
      expect(media).toMatchObject({ media_key: key, type: 'photo' })
      expect(new URL(media.url).pathname).toMatch(
        new RegExp(`^/2/dm_conversations/media/${sent.dm_event_id}/${id}/[\\w-]{16}\\.png$`),
      )
      const bytes = await fetch(media.url, {
        headers: { authorization: `Bearer ${(reader as { bearer: string }).bearer}` },
      })
      expect(bytes.status).toBe(200)
      expect(bytes.headers.get('content-type')).toBe('application/octet-stream')
      expect(bytes.headers.get('cache-control')).toContain('no-store')
      expect(Buffer.from(await bytes.arrayBuffer()).equals(makePng())).toBe(true)
    }
  })

  test('keeps it from everybody else', async () => {
    const { id, media_key: key } = await picture()
    const sent = await sendMessage(server, 'alice', 'bob', attached(id))
    const { media } = await mediaOf(sent.dm_event_id, bob!)
    expect((await download(media.url, dario!)).status).toBe(404)
    expect((await download(media.url, 'app')).status).toBe(403)
    expect((await download(media.url, { user: 'bob' })).status).toBe(403)
    expect((await download(media.url, await byOAuth2(server, 'bob', ['users.read', 'post.read']))).status).toBe(403)
    const foreign = await server.get(`/2/media/${key}?media.fields=url`, dario!)
    expect(foreign.body.errors[0].type).toMatch(/not-authorized-for-resource$/)
    // The address that needs no credentials is only for media of posts.
    const name = media.url.split('/').at(-1)
    expect((await server.get(`/media/${key}/${name}`, 'nobody')).status).toBe(404)
    for (const path of [
      `${sent.dm_event_id}/${id}/0123456789abcdef.png`,
      `${sent.dm_event_id}/1/${name}`,
      `1/${id}/${name}`,
      `9999999999999999999/${id}/${name}`,
    ])
      expect((await server.get(`/2/dm_conversations/media/${path}`, bob!)).status, path).toBe(404)
  })

  test('is not shown any more to a sender who deleted it, but to the receiver', async () => {
    const { id } = await picture()
    const sent = await sendMessage(server, 'alice', 'bob', attached(id))
    const { media } = await mediaOf(sent.dm_event_id, alice!)
    await server.delete(`/2/dm_events/${sent.dm_event_id}`, alice)
    expect((await download(media.url, alice!)).status).toBe(404)
    expect((await download(media.url, bob!)).status).toBe(200)
  })

  test('stays after the media item would have expired', async () => {
    const { id } = await picture()
    const sent = await sendMessage(server, 'alice', 'bob', attached(id, 'Look'))
    const before = await mediaOf(sent.dm_event_id, bob!)
    await rows(server, `update media set expires_at = '2020-01-01' where id = $1`, [id])
    await server.command('cache.forget')
    expect((await mediaOf(sent.dm_event_id, bob!)).media).toEqual(before.media)
    expect((await download(before.media.url, bob!)).status).toBe(200)
  })

  test('an animated picture has a preview and a file to download', async () => {
    const begun = await server.post(
      '/2/media/upload/initialize',
      { media_type: 'image/gif', total_bytes: makeGif().length, media_category: 'dm_gif' },
      { user: 'alice' },
    )
    const { id } = begun.body.data
    await sendForm(server, `/2/media/upload/${id}/append`, { segment_index: '0', media: makeGif() })
    await server.post(`/2/media/upload/${id}/finalize`, undefined, { user: 'alice' })
    for (;;) {
      const { body } = await server.get(`/2/media/upload?command=STATUS&media_id=${id}`, { user: 'alice' })
      if (body.data.processing_info.state === 'succeeded') break
      if (body.data.processing_info.state === 'failed') throw new Error(JSON.stringify(body))
    }
    const sent = await sendMessage(server, 'alice', 'bob', attached(id))
    const read = await server.get(
      `/2/dm_events/${sent.dm_event_id}?expansions=attachments.media_keys&media.fields=preview_image_url,variants`,
      bob,
    )
    const [shown] = read.body.includes.media
    expect(shown.type).toBe('animated_gif')
    for (const url of [shown.preview_image_url, ...shown.variants.map((item: { url: string }) => item.url)])
      expect((await download(url, bob!)).status, url).toBe(200)
  })
})

describe('an attachment is refused', () => {
  const DETAIL = 'You are not permitted to attach this media to a DM event.'

  test('when somebody else uploaded it, like one that does not exist', async () => {
    const { id } = await picture()
    for (const media of [id, '1', '9999999999999999999']) {
      const answer = await trySending(server, 'bob', 'alice', attached(media, 'Mine?'))
      expect(answer).toMatchObject({ status: 403, body: { type: 'about:blank', detail: DETAIL } })
    }
    expect((await trySending(server, 'alice', 'bob', attached(id))).status).toBe(201)
  })

  test('but not when the uploader named the sender as an owner', async () => {
    const made = await sendForm(server, '/2/media/upload', {
      media: makePng(),
      media_category: 'dm_image',
      additional_owners: server.userId('bob'),
    })
    expect((await trySending(server, 'bob', 'alice', attached(made.body.data.id))).status).toBe(201)
  })

  test('when it was uploaded for a post', async () => {
    const { id } = await uploadWhole(server, makePng(), 'post_image')
    const answer = await trySending(server, 'alice', 'bob', attached(id))
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].message).toContain('[dm_image, dm_gif, dm_video]')
  })

  test('when it is in another message, unless it was uploaded as shared', async () => {
    const { id } = await picture()
    await sendMessage(server, 'alice', 'bob', attached(id))
    const again = await trySending(server, 'alice', 'dario', attached(id))
    expect(again.status).toBe(400)
    expect(again.body.errors[0].message).toContain('shared=true')
    const shared = await sendForm(server, '/2/media/upload', {
      media: makePng(),
      media_category: 'dm_image',
      shared: 'true',
    })
    const mediaId = shared.body.data.id
    await sendMessage(server, 'alice', 'bob', attached(mediaId))
    const second = await sendMessage(server, 'alice', 'dario', attached(mediaId))
    const { media } = await mediaOf(second.dm_event_id, dario!)
    expect((await download(media.url, dario!)).status).toBe(200)
  })

  test('when two messages attach it at the same moment, once', async () => {
    const { id } = await picture()
    const group = await makeGroup(server, ['alice', 'bob', 'dario'])
    const answers = await Promise.all([
      trySending(server, 'alice', 'bob', attached(id)),
      trySending(server, 'alice', 'dario', attached(id)),
      server.post(`/2/dm_conversations/${group.dm_conversation_id}/messages`, attached(id), { user: 'alice' }),
    ])
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 400, 400])
  })

  test('when it was uploaded more than a day ago', async () => {
    const { id } = await picture()
    // The command would also remove it.
    server.runtime.clock.setOffset(25 * 3_600_000)
    const answer = await trySending(server, 'alice', 'bob', attached(id))
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].message).toContain('more than 24 hours ago')
    server.runtime.clock.setOffset(0)
  })
})
