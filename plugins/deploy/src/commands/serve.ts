import { resolve } from 'node:path'
import type { Command } from '@amodal/sdk'
import { serveUntilStopped } from '@amodal/plugin-http/tokens'
import { errorText } from '../errors.ts'
import { unpackFile } from './unpack-file.ts'

/**
 * `amodal deploy serve FILE`.
 *
 * @param folder where it is unpacked
 */
export function serveCommand(folder: string): Command {
  return {
    summary: 'Serve a snapshot, as `amodal start` serves a folder',
    usage: 'amodal deploy serve FILE [--dir PATH] [--port N] [--host ADDRESS] [--preset NAME]',
    about: [
      'Compares every hash, unpacks the file, and serves it with the preset `production` where neither --preset nor its amodal.json names one.',
      'Data and unpacked files are kept in `.amodal` of --dir, and variables come from the environment and its `.env`.',
    ],
    examples: [
      ['amodal deploy serve agent.tgz', 'with the data in the current folder'],
      [
        'amodal deploy serve agent.tgz --dir /srv/agent --port 4000',
        'with data and .env of /srv/agent',
      ],
    ],
    options: {
      port: { type: 'string', short: 'p', description: 'Port to listen on (PORT, or 3847)' },
      host: { type: 'string', description: 'Address to listen on (127.0.0.1)' },
    },
    async run(context) {
      const [file, ...more] = context.arguments
      if (file === undefined || more.length > 0) {
        context.fail('name one file: amodal deploy serve FILE')
        return 2
      }
      const unpacked = await unpackFile(resolve(file), folder, context.signal)
      if (!unpacked.ok) {
        context.fail(errorText(unpacked.error))
        return 1
      }
      const kernel = await context.start({ dir: unpacked.value, stateDir: context.dir })
      await serveUntilStopped(kernel, context)
      return 0
    },
  }
}
