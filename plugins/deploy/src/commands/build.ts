import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  BundleSource,
  err,
  failure,
  messageOf,
  ok,
  tryAsync,
  type Command,
  type CommandContext,
  type Failure,
  type Generation,
  type Result,
} from '@amodal/sdk'
import { FolderCheck } from '@amodal/plugin-repo-files/tokens'
import { errorText } from '../errors.ts'
import { writeArchive } from '../snapshot/archive.ts'
import { buildSnapshot } from '../snapshot/build.ts'
import type { Snapshot } from '../snapshot/format.ts'

/** Of the release, as the plugin names it. */
const RUNTIME = '0.1.0'

export interface Built extends Snapshot {
  readonly archive: Uint8Array
}

/** Builds a snapshot of the folder of a command. */
export async function buildFor(
  generation: Generation,
  { dir, signal }: Pick<CommandContext, 'dir' | 'signal'>,
): Promise<Result<Built, Failure>> {
  const folders = generation.scope.find(FolderCheck)
  if (!folders)
    return err(failure('NOT_FOUND', 'no plugin reads agent folders here (folder-check)'))
  const places = generation.scope.find(BundleSource)?.places ?? []
  const built = await buildSnapshot(dir, { folders, places, generation, runtime: RUNTIME, signal })
  return built.ok ? ok({ ...built.value, archive: await writeArchive(built.value) }) : built
}

/** `amodal deploy build --output FILE`. */
export function buildCommand(generation: () => Generation): Command {
  return {
    summary: 'Build a snapshot of the agent folder in one file',
    usage: 'amodal deploy build --output FILE [--dir PATH] [--json]',
    about: [
      'The folder has to pass `amodal validate`, and a place that looks like a secret stops it. In the file are what the server reads, installed packages and amodal.lock;',
      '`.env`, `.amodal`, `.git` and `node_modules` never. Equal folders make equal bytes, on every machine.',
    ],
    examples: [
      ['amodal deploy build --output agent.tgz --dir my-agent', 'build it'],
      ['amodal deploy serve agent.tgz', 'serve it'],
    ],
    options: {
      output: { type: 'string', short: 'o', description: 'The file to write' },
      json: { type: 'boolean', description: 'Print the manifest as JSON' },
    },
    async run(context) {
      const { output, json } = context.options
      if (typeof output !== 'string' || output === '') {
        context.fail('say where to write it: amodal deploy build --output FILE')
        return 2
      }
      const built = await buildFor(generation(), context)
      const written = built.ok ? await write(resolve(output), built.value.archive) : built
      if (!built.ok || !written.ok) {
        context.fail(
          errorText(written.ok ? failure('INTERNAL', 'nothing was built') : written.error),
        )
        return 1
      }
      const { manifest, archive } = built.value
      context.print(
        json === true
          ? JSON.stringify(manifest, undefined, 2)
          : `${manifest.id}\n${manifest.agent.name} ${manifest.agent.version}: ${manifest.files.length} files, ${archive.byteLength} bytes in ${output}`,
      )
      return 0
    },
  }
}

/** Whole, or not at all. */
async function write(file: string, bytes: Uint8Array): Promise<Result<void, Failure>> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const written = await tryAsync(
    async () => {
      await writeFile(draft, bytes, { flag: 'wx' })
      await rename(draft, file)
    },
    (cause) => failure('NOT_WRITABLE', `${file} cannot be written: ${messageOf(cause)}`),
  )
  await rm(draft, { force: true })
  return written
}
