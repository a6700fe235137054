// A bare node:http server that answers every request with the same bytes, as a baseline of the benchmarks.
import http from 'node:http'

const body = Buffer.from(process.env.BENCH_BODY ?? '', 'base64')
const status = Number(process.env.BENCH_STATUS ?? 200)
const server = http.createServer((request, response) => {
  // Any server must read the request body.
  request.resume()
  request.on('end', () => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
