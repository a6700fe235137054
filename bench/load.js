// Sends requests over 64 connections for some seconds and measures rate and latency. Any other status than expected is an error.
import autocannon from 'autocannon'

export const CONNECTIONS = 64

/** `next` returns method, path, headers and body of the next request. */
export async function load(baseUrl, seconds, next, expected) {
  const result = await new Promise((resolve, reject) => {
    autocannon(
      {
        url: baseUrl,
        connections: CONNECTIONS,
        duration: seconds,
        requests: [{ setupRequest: (request) => Object.assign({}, request, next()) }],
      },
      (error, done) => (error ? reject(error) : resolve(done)),
    )
  })
  const answered = Object.entries(result.statusCodeStats ?? {})
  const wrong = answered.filter(([status]) => Number(status) !== expected)
  if (wrong.length > 0 || result.errors > 0) {
    throw new Error(
      `expected only ${expected}, got ${JSON.stringify(result.statusCodeStats)} and ${result.errors} errors`,
    )
  }
  return { rate: result.requests.total / result.duration, p50: result.latency.p50, p99: result.latency.p99 }
}
