import { type CliCommand, numberFlag, only } from '../command-line.ts'
import { runCommand } from '../reach-runtime.ts'
import { pairs } from '../words.ts'

export const viewCommands: CliCommand[] = [
  {
    name: 'views add',
    summary: 'Counts views, clicks or plays of a post.',
    positionals: '<post id>',
    flags: {
      kind: { value: '<kind>', help: 'view, link_click, profile_click, video_25 and so on; default view' },
      count: { value: '<number>', help: 'how often; default 1' },
      viewer: { value: '<username>', help: 'who saw it' },
      at: { value: '<time>', help: 'when, such as 2026-11-16T10:00:00Z; default now' },
      media: { value: '<media key>', help: 'the video of the post that was played' },
      watched: { value: '<milliseconds>', help: 'for how long the video was played' },
      promoted: { help: 'the post was shown because somebody paid for it' },
    },
    run: async (call) => {
      const { kind, viewer, at, media, promoted } = call.flags
      const view = {
        post: only(call.positionals, 'post id'),
        kind,
        count: numberFlag(call, 'count', 1),
        viewer,
        at,
        media_key: media,
        watch_ms: numberFlag(call, 'watched'),
        promoted,
      }
      const result = await runCommand(call.settings, 'views.add', { views: [view] })
      call.print(result, () => pairs(result))
    },
  },
]
