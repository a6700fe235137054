import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { accountActivityOperations } from './account-activity/configure-subscriptions.ts'
import { createAccountActivityReplayJob } from './account-activity/deprecated-replay.ts'
import { accountActivityDeliveries } from './account-activity/plan-deliveries.ts'
import { activityDeliveries } from './activity/activity-deliveries.ts'
import { activityStream } from './activity/activity-stream.ts'
import { activitySubscriptionOperations } from './activity/manage-subscriptions.ts'
import { adsFamily } from './ads/kit/serving/ads-family.ts'
import { startTasks } from './ads/kit/task.ts'
import { pixelEndpoints } from './ads/measurement/pixel.ts'
import { adsOperations } from './ads/operations.ts'
import { linkManagedAccount, partnerPages } from './ads/partners/link-managed-account.ts'
import { postPreviewPage } from './ads/posts/post-previews.ts'
import { adsReference } from './ads/reference-operations.ts'
import { adServer } from './ads/serving/ad-server.ts'
import { downloadStatsFile } from './ads/statistics/download-stats-file.ts'
import { adsTasks } from './ads/tasks.ts'
import type { Endpoint } from './api-kit/declaring/endpoint.ts'
import type { Operation } from './api-kit/declaring/operation.ts'
import { checkExpansions, setIncludes } from './api-kit/declaring/reply.ts'
import { openApiEndpoint } from './api-kit/describing/openapi.ts'
import type { Family } from './api-kit/family.ts'
import { faultList } from './api-kit/faults/fault-list.ts'
import { noteRoutes } from './api-kit/faults/known-routes.ts'
import { onceForEachRequest, RequestFaults } from './api-kit/faults/request-faults.ts'
import { requestHost } from './api-kit/naming/spoken-naming.ts'
import type { Runtime, Singleton } from './api-kit/runtime.ts'
import { answerBrokenRequest } from './api-kit/serving/broken-request.ts'
import { deprecatedUses } from './api-kit/serving/deprecation.ts'
import { closeEventStreams, eventStreams } from './api-kit/serving/event-stream.ts'
import { addFallbacks, answerFrameworkError, answerLongPath } from './api-kit/serving/fallbacks.ts'
import { addRoutes, addUnbuiltRoutes } from './api-kit/serving/routes.ts'
import { addEndpoints } from './api-kit/serving/serve-endpoint.ts'
import { type ServeOptions, withoutMount } from './api-kit/serving/serve-request.ts'
import { Routes } from './api-kit/serving/serve-routes.ts'
import { v2Family } from './api-kit/serving/v2-family.ts'
import { eventPages } from './console/event-pages.ts'
import { frontPage } from './console/front-page.ts'
import { liveEndpoint } from './console/live.ts'
import { requestFeed } from './console/request-feed.ts'
import { consoleEndpoints } from './console/shell.ts'
import { moveClock, stepClock } from './control/clock/move-clock.ts'
import { controlEndpoints } from './control/endpoints.ts'
import { watchedRules } from './control/listeners/matches-command.ts'
import { machineInvalidations } from './events/machine-invalidations.ts'
import { logTail, natsLine } from './events/runtime-tail.ts'
import { failureMaker } from './faults/failures.ts'
import { bearerTokenEndpoints } from './identity/app-only/bearer-token.ts'
import { createAuthenticate } from './identity/authenticate.ts'
import { namedApp } from './identity/named-app.ts'
import { oauth1Pages } from './identity/oauth1/authorize.ts'
import { oauth1Endpoints } from './identity/oauth1/flow.ts'
import { NonceGuard } from './identity/oauth1/nonce-guard.ts'
import { oauth2Pages } from './identity/oauth2/authorize.ts'
import { V2_SCOPES } from './identity/oauth2/scopes.ts'
import { oauth2TokenEndpoints } from './identity/oauth2/token.ts'
import { favicon } from './identity/pages/favicon.ts'
import { problemPages } from './identity/pages/problem-pages.ts'
import { signInEndpoints } from './identity/sign-in/sign-in.ts'
import { meterOf, usageMeter } from './identity/usage/usage-meter.ts'
import { LEGACY_PLATFORM, legacyNaming, SHORT_LINK_HOST } from './legacy-words.ts'
import { mcpEndpoints, mcpMessage } from './mcp/endpoints.ts'
import { liveHub } from './pages/live/live-hub.ts'
import { peopleNotFound } from './pages/not-found.ts'
import { peoplePages } from './pages/pages.ts'
import type { LifeClock } from './population/life.ts'
import { startLife } from './population/life-work.ts'
import type { Stoppable } from './process/keep-trying.ts'
import { startSliceKeeper } from './search/slices/keep-slices.ts'
import type { Settings } from './settings.ts'
import { startAccountRemoval } from './social/accounts/remove-accounts.ts'
import { downloadResult } from './social/compliance/download-result.ts'
import { startComplianceWork } from './social/compliance/process-jobs.ts'
import { complianceUploads } from './social/compliance/upload-ids.ts'
import { startCountingEvents } from './social/insights/count-events.ts'
import { factBuffer } from './social/insights/fact-buffer.ts'
import { v2Later } from './social/later-operations.ts'
import { shortLinkEndpoints, shortLinkRoute } from './social/links/open-short-link.ts'
import { media } from './social/media/media.object.ts'
import { serveMedia } from './social/media/serve-media.ts'
import { mediaQueue, startMediaWork } from './social/media/uploading/process-media.ts'
import { startNoteScoring } from './social/notes/score-notes.ts'
import { startWritingNotifications } from './social/notifications/write-notifications.ts'
import { socialOperations } from './social/operations.ts'
import { place } from './social/places/place.object.ts'
import { poll } from './social/polls/poll.object.ts'
import { postQueue } from './social/posts/insert-posts.ts'
import { post } from './social/posts/post.object.ts'
import { v2Reference } from './social/reference-operations.ts'
import { topic } from './social/spaces/topic.object.ts'
import { startTopicWork } from './social/topic-work.ts'
import { serveDefaultPicture } from './social/users/default-picture.ts'
import { user } from './social/users/user.object.ts'
import { filteredRuleSets } from './streams/filtered/filtered-stream.ts'
import { ruleMatches } from './streams/filtered/rule-matches.ts'
import { linkedPosts } from './streams/filtered/webhook-links.ts'
import { hubOf, streamHub } from './streams/hub.ts'
import { streamOperations } from './streams/operations.ts'
import { v1Operations } from './v1-calls/operations.ts'
import { v1Family } from './v1-calls/v1-family.ts'
import { createWebhooks, deleteWebhooks, getWebhooks, validateWebhooks } from './webhooks/configure-webhooks.ts'
import { createWebhookReplayJob } from './webhooks/create-replay.ts'
import { deliveryChanges } from './webhooks/delivery-changes.ts'
import { startDispatch } from './webhooks/dispatch.ts'
import { worldRestorer } from './world/snapshots/restore-snapshot.ts'

export const API_VERSION = '2.166'

/** Every operation of version 2. */
const operations: readonly Operation[] = [
  ...socialOperations,
  createWebhooks,
  getWebhooks,
  validateWebhooks,
  deleteWebhooks,
  createWebhookReplayJob,
  ...accountActivityOperations,
  createAccountActivityReplayJob,
  ...streamOperations,
  ...activitySubscriptionOperations,
  activityStream,
]

/** What a worker has once, in the order of creation. */
export const singletons: readonly Singleton<unknown>[] = [
  natsLine,
  machineInvalidations,
  faultList,
  logTail,
  postQueue,
  mediaQueue,
  factBuffer,
  usageMeter,
  filteredRuleSets,
  ruleMatches,
  watchedRules,
  streamHub,
  liveHub,
  worldRestorer,
  eventStreams,
  eventPages,
  requestFeed,
  deliveryChanges,
  adServer,
  deprecatedUses,
]

const objects = [media, place, poll, post, topic, user]
setIncludes(objects)
checkExpansions(objects)

/** The interfaces that are served. An address of none of them is refused in the shape of the first. */
export const families = [
  v2Family({
    version: API_VERSION,
    operations,
    reference: v2Reference,
    later: v2Later,
    legacy: legacyNaming,
    scopes: V2_SCOPES,
  }),
  adsFamily(adsOperations, adsReference, [mcpMessage, linkManagedAccount]),
  v1Family(v1Operations),
] as const satisfies readonly [Family, ...Family[]]

/**
 * Starts the background work of a process: media and, in one process of all machines, webhook deliveries, advertising tasks,
 * search slices, compliance jobs, the removal of deleted accounts, the scores of notes, the counts of insights,
 * notifications and the life of personas.
 */
export function startWork(runtime: Runtime): Stoppable {
  // If this fails, the first stream tries it again.
  hubOf(runtime)
    .closeAbandoned()
    .catch((error: unknown) => runtime.log.warn({ err: error }, 'connections of an earlier process stay open for now'))
  const mediaWork = startMediaWork(runtime)
  const adsWork = startTasks(runtime, adsTasks)
  const slices = startSliceKeeper(runtime)
  // In deterministic mode these run when the clock is moved: here they would depend on real time.
  const topics = runtime.isDeterministic ? undefined : startTopicWork(runtime)
  const counting = startCountingEvents(runtime)
  const notifications = startWritingNotifications(runtime)
  const compliance = startComplianceWork(runtime)
  const notes = runtime.isDeterministic ? undefined : startNoteScoring(runtime)
  const removal = startAccountRemoval(runtime)
  const life = startLife(runtime, lifeClock(runtime))
  const dispatch = startDispatch(runtime, () => [activityDeliveries, accountActivityDeliveries, linkedPosts()])
  return {
    stop: async () => {
      await Promise.all([
        life.stop(),
        topics?.stop(),
        mediaWork.stop(),
        adsWork.stop(),
        slices.stop(),
        compliance.stop(),
        counting.stop(),
        notifications.stop(),
        notes?.stop(),
        removal.stop(),
      ])
      await dispatch.stop()
    },
  }
}

const lifeClock = (runtime: Runtime): LifeClock => ({
  step: stepClock,
  stepWithWork: async (atMs) => {
    await moveClock(runtime, { reset: false, setMs: atMs, advanceMs: 0, frozen: true })
  },
  run: async () => {
    await moveClock(runtime, { reset: false, advanceMs: 0, frozen: false })
  },
})

/** Ends the open streams with a last line; new ones are refused. */
export const disconnectStreams = (runtime: Runtime): void => hubOf(runtime).close()

/** Makes the HTTP server with every route; it does not listen yet. */
export function createServer(runtime: Runtime, settings: Settings, endpoints: Endpoint[] = []): FastifyInstance {
  const nonces = new NonceGuard(runtime.database)
  const authenticate = onceForEachRequest(createAuthenticate(runtime, nonces))
  const faults = runtime.singleton(faultList)
  const options: ServeOptions = {
    runtime,
    platform: LEGACY_PLATFORM,
    defaultNaming: settings.naming,
    authenticate,
    faults: new RequestFaults(faults, {
      authenticate,
      namedApp: (request) => namedApp(runtime, request),
      makerFor: failureMaker,
    }),
    meter: runtime.hasUsage ? meterOf(runtime) : undefined,
    apiVersion: API_VERSION,
    trustProxy: settings.trustProxy > 0,
    hasPublicUrl: settings.publicUrl !== '',
  }
  const linkHosts = new Set([
    SHORT_LINK_HOST,
    ...(settings.linkHost === '' ? [] : [settings.linkHost.replace(/:\d+$/, '')]),
  ])
  const rewrites = families.flatMap((family) => family.rewrite ?? [])
  // Some proxies keep the mount path, others strip it.
  const routedUrl = (request: IncomingMessage): string => {
    let url = withoutMount(request.url ?? '/', runtime.mount)
    if (linkHosts.has(requestHost(request.headers))) url = shortLinkRoute(url)
    for (const rewrite of rewrites) url = rewrite(url)
    return url
  }
  const server = Fastify({
    // A function, because Fastify trusts no proxy when it gets a number. The client is the first address that is not trusted.
    trustProxy: settings.trustProxy > 0 && ((_address, hop) => hop < settings.trustProxy),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // The error handler does not see paths that the router refuses.
    frameworkErrors: (error, _request, reply) => answerFrameworkError(error, families[0], reply, options),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, options),
    // Operations parse the query themselves.
    routerOptions: { ignoreTrailingSlash: false, querystringParser: () => ({}) },
    rewriteUrl: routedUrl,
  })
  // 'idle' does not close connections without any request, and would wait a minute for them.
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  let isClosing = false
  server.addHook('preClose', async () => {
    isClosing = true
    faults.stop()
    closeEventStreams(runtime)
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.addHook('onReady', () =>
    nonces
      .prepare()
      .catch((error: unknown) =>
        runtime.log.warn({ err: error }, 'the nonce table could not be checked; the first signed request checks it'),
      ),
  )
  const routes = new Routes()
  addRoutes(routes, families, options)
  const allEndpoints = [
    ...oauth1Endpoints(nonces),
    ...oauth1Pages,
    ...bearerTokenEndpoints(nonces),
    ...oauth2Pages(legacyNaming),
    ...oauth2TokenEndpoints(legacyNaming),
    ...signInEndpoints,
    favicon,
    ...problemPages,
    ...shortLinkEndpoints,
    serveMedia,
    ...complianceUploads,
    downloadResult,
    serveDefaultPicture,
    postPreviewPage,
    ...partnerPages,
    ...mcpEndpoints,
    ...pixelEndpoints,
    downloadStatsFile,
    ...controlEndpoints,
    ...peoplePages,
    frontPage,
    ...consoleEndpoints,
    liveEndpoint,
    ...endpoints,
    ...families.map((family) => openApiEndpoint(family, options)),
  ]
  addEndpoints(routes, allEndpoints, families, options)
  noteRoutes(runtime, [
    ...families.flatMap(({ operations, legacy }) => operations.map(({ method, path }) => ({ method, path, legacy }))),
    ...allEndpoints.map(({ method, path }) => ({ method, path, legacy: undefined })),
  ])
  addUnbuiltRoutes(routes, families, options)
  routes.serve(server, (_request, reply) => answerLongPath(families[0], reply, options))
  // The framework finds out who is behind a proxy, and ends connections while the server closes.
  if (!options.trustProxy) {
    const [serve] = server.server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void]
    server.server.removeAllListeners('request')
    server.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const served =
        request.method === 'GET' && !isClosing ? routes.serveDirectly(request, response, routedUrl(request)) : undefined
      if (!served) return serve(request, response)
      served.catch((error: unknown) => {
        runtime.log.error({ err: error }, 'unexpected error')
        response.destroy()
      })
    })
  }
  addFallbacks(server, families, options, peopleNotFound)
  return server
}
