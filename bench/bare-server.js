// A bare node:http server that sends the same bytes to every request: the yardstick of the benchmarks.
import http from 'node:http'

const body = Buffer.from(process.env.BENCH_BODY ?? '', 'base64')
const status = Number(process.env.BENCH_STATUS ?? 200)
const server = http.createServer((request, response) => {
  // The request body is read, as any server must.
  request.resume()
  request.on('end', () => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
