import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SentMethod } from '../declaring/operation.ts'
import { type HttpReply, type HttpRequest, PlainReply, PlainRequest } from './http-exchange.ts'
import { type FoundRoute, RouteTable } from './route-table.ts'

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown
/** One that needs nothing of the framework. */
export type DirectHandler = (request: HttpRequest, reply: HttpReply) => Promise<void>

/** How the framework reads the bodies of some routes. */
interface BodyKind {
  /** The most bytes; undefined for what the framework allows. */
  bodyLimit: number | undefined
  streamsBody: boolean
  methods: Set<SentMethod>
}

interface AddedRoute extends Partial<Omit<BodyKind, 'methods'>> {
  id: string
  method: SentMethod
  /** With `{name}` parts. */
  path: string
  /** Requests without a body need nothing of the framework. Its handler uses nothing of it either. */
  isDirect?: boolean
  /** Makes the handler at the first request, since most routes of a process get none. */
  makeHandler: () => Handler | DirectHandler
}

interface ServedRoute {
  kind: string
  isDirect: boolean
  makeHandler: () => Handler | DirectHandler
  handler?: Handler | DirectHandler
}

/** The routes of a server. The framework knows one route for every path and kind of body: here the right one is found. */
export class Routes {
  readonly #table = new RouteTable<ServedRoute>()
  readonly #kinds = new Map<string, BodyKind>()

  /** Adds a route; throws if there is one of the same method and shape. */
  add({ id, method, path, bodyLimit, streamsBody = false, isDirect = false, makeHandler }: AddedRoute): void {
    const name = `${streamsBody ? 'streamed' : 'read'} ${bodyLimit ?? ''}`
    const kind = this.#kinds.get(name) ?? { bodyLimit, streamsBody, methods: new Set() }
    this.#kinds.set(name, kind)
    kind.methods.add(method)
    this.#table.add(id, method, path, { kind: name, isDirect, makeHandler })
  }

  /** True if there is a route of the same method and shape: the names of values do not count. */
  has(method: SentMethod, path: string): boolean {
    return this.#table.has(method, path)
  }

  /**
   * Serves a GET that needs nothing of the framework, as most reads do: one of an operation, without a body.
   * `url` is the address without what a proxy or a former version added. Undefined if the framework has to serve it.
   */
  serveDirectly(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> | undefined {
    const { headers } = request
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return undefined
    const found = this.#table.find('GET', url)
    if (found === undefined || found === 'too long' || !found.route.isDirect) return undefined
    const { route, values } = found
    route.handler ??= route.makeHandler()
    const plain = new PlainRequest(request, values)
    return (route.handler as DirectHandler)(plain, new PlainReply(response, plain))
  }

  /** Makes a server serve the routes. `refuse` answers a request that has a longer value in its path than any route takes. */
  serve(server: FastifyInstance, refuse: Handler): void {
    const found = new WeakMap<IncomingMessage, FoundRoute<ServedRoute>>()
    server.addConstraintStrategy({
      name: 'route',
      storage: () => {
        const kinds = new Map<unknown, Handler>()
        return {
          get: (kind) => (kinds.get(kind) ?? null) as never,
          set: (kind, handler) => kinds.set(kind, handler as never),
        }
      },
      deriveConstraint: (request: IncomingMessage) => {
        const route = this.#table.find(request.method!, request.url!)
        if (route === undefined || route === 'too long') return route
        found.set(request, route)
        return route.route.kind
      },
    })
    const addKind = (scope: FastifyInstance, name: string, { bodyLimit, methods }: BodyKind) =>
      scope.route({
        method: [...methods],
        url: '*',
        constraints: { route: name },
        exposeHeadRoute: false,
        ...(bodyLimit === undefined ? {} : { bodyLimit }),
        handler: (request, reply) => {
          const { route, values } = found.get(request.raw)!
          request.params = values
          route.handler ??= route.makeHandler()
          return route.handler(request, reply)
        },
      })
    const kinds = [...this.#kinds]
    for (const [name, kind] of kinds) if (!kind.streamsBody) addKind(server, name, kind)
    const streamed = kinds.filter(([, kind]) => kind.streamsBody)
    if (streamed.length > 0)
      void server.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
        for (const [name, kind] of streamed) addKind(scope, name, kind)
      })
    server.route({
      method: [...new Set(kinds.flatMap(([, { methods }]) => [...methods]))],
      url: '*',
      constraints: { route: 'too long' },
      exposeHeadRoute: false,
      // Before a body is read.
      onRequest: (request, reply) => void refuse(request, reply),
      handler: refuse,
    })
  }
}
