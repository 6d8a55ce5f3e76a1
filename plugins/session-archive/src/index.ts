import { resolve } from 'node:path'
import { Commands, definePlugin, Erasers, messageOf } from '@amodal/sdk'
import { SessionArchive } from '@amodal/sdk/loop'
import { z } from 'zod'
import { archiveCommand } from './command.ts'
import { archiveEraser } from './eraser.ts'
import { ArchiveFailed } from './errors.ts'
import { FileArchive } from './file-archive.ts'

/**
 * Writes the history of a session to a file before it expires.
 *
 * @example
 * use(sessionArchive, { dir: './my-agent', folder: '/mnt/archive' })
 */
export const sessionArchive = definePlugin({
  name: 'session-archive',
  version: '0.1.0',
  reaches: { files: ['.amodal/archive'] },
  errors: [ArchiveFailed],
  provides: [SessionArchive],
  config: z.strictObject({
    dir: z.string().optional().describe('The agent folder.'),
    folder: z
      .string()
      .min(1)
      .default('.amodal/archive')
      .describe('Where files are kept; relative to the agent folder.'),
  }),
  setup({ config, provide, add, onBoot, log }) {
    const archive = new FileArchive(resolve(config.dir ?? '.', config.folder))
    provide(SessionArchive, () => archive)
    add(Erasers, 'session-archive', archiveEraser(archive.folder))
    add(Commands, 'ops archive', archiveCommand(archive.folder))
    onBoot(() => {
      // In the background: a start does not wait for it.
      void archive.removeDrafts().catch((cause: unknown) => {
        log.warn('session_archive.drafts', { message: messageOf(cause) })
      })
    })
  },
})

export default sessionArchive
