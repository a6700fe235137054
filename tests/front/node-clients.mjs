// Run by `rostra exec`: ordinary programs with the platform's addresses built in. Prints one line of JSON.
import https from 'node:https'
import { Worker } from 'node:worker_threads'
import axios from 'axios'
import { ETwitterStreamEvent, TwitterApi } from 'twitter-api-v2'
import { request } from 'undici'

const authorization = `Bearer ${process.env.X_BEARER_TOKEN}`
const user = 'https://api.x.com/2/users/by/username/alice'

const byHttps = (url, options = {}) =>
  new Promise((resolve, reject) => {
    https
      .get(url, { headers: { authorization }, ...options }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode, text }))
      })
      .on('error', reject)
  })

const inWorker = () =>
  new Promise((resolve, reject) => {
    const code = `fetch(${JSON.stringify(user)}).then((answer) => require('node:worker_threads').parentPort.postMessage(answer.status))`
    new Worker(code, { eval: true }).once('message', resolve).once('error', reject)
  })

const twitter = new TwitterApi({
  appKey: process.env.TWITTER_API_KEY,
  appSecret: process.env.TWITTER_API_SECRET,
  accessToken: process.env.TWITTER_ACCESS_TOKEN,
  accessSecret: process.env.TWITTER_ACCESS_TOKEN_SECRET,
})

/** Opens the filtered stream, posts, and waits until the post arrives. */
async function streamed() {
  const app = new TwitterApi(process.env.TWITTER_BEARER_TOKEN)
  await app.v2.updateStreamRules({ add: [{ value: 'kingfisher' }] })
  const stream = await app.v2.searchStream({ autoConnect: true })
  const arrived = new Promise((resolve) => stream.on(ETwitterStreamEvent.Data, (event) => resolve(event.data.text)))
  await twitter.v2.tweet('A kingfisher at the weir')
  const text = await arrived
  stream.close()
  return text
}

const picture = Buffer.from(process.argv[2], 'base64')
const mediaId = await twitter.v2.uploadMedia(picture, { media_type: 'image/png' }, 100)
const withMedia = await twitter.v2.tweet('With a picture', { media: { media_ids: [mediaId] } })

console.log(
  JSON.stringify({
    https: (await byHttps(user)).status,
    ownAuthorities: (await byHttps(user, { ca: (await import('node:tls')).rootCertificates, agent: false })).status,
    otherDomain: (await byHttps('https://api.twitter.com/2/users/by/username/alice')).status,
    fetch: (await fetch(user, { headers: { authorization } })).status,
    plainHttp: (await fetch(user.replace('https:', 'http:'), { headers: { authorization } })).status,
    worker: await inWorker(),
    undici: (await request(user, { headers: { authorization } })).statusCode,
    axios: (await axios.get(user, { headers: { authorization } })).data.data.username,
    me: (await twitter.v2.me()).data.username,
    posted: withMedia.data.text.includes('With a picture'),
    streamed: await streamed(),
  }),
)
process.exit(0)
