import { addFacts } from '../social/insights/fact-buffer.ts'
import type { PageRequest } from './page-request.ts'

const MACHINES = /bot\b|bot\/|crawl|spider|slurp|preview|externalhit|monitor/i

/** Counts a view of each post that a page shows. What a browser loads ahead, and what machines read, is not a view, nor is a HEAD. */
export function countViews({ request, runtime, viewer, shownPosts, now }: PageRequest): void {
  if (shownPosts.size === 0 || request.method === 'HEAD' || !isSeen(request.headers)) return
  addFacts(
    runtime,
    [...shownPosts].map((postId) => ({
      postId,
      kind: 'view' as const,
      count: 1,
      atMs: now,
      promoted: false,
      ...(viewer ? { viewerId: viewer.id } : {}),
    })),
  )
}

/** Whether somebody sees what the request asks for. */
export function isSeen(headers: PageRequest['request']['headers']): boolean {
  const word = (name: string) => String(headers[name] ?? '')
  const isAhead = [word('sec-purpose'), word('purpose'), word('x-moz'), word('x-purpose')].some((purpose) =>
    /prefetch|prerender|preview/i.test(purpose),
  )
  return !isAhead && !MACHINES.test(word('user-agent'))
}
