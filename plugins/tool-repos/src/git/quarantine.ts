import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { trySync } from '@amodal/sdk'
import { z } from 'zod'

const Event = z.object({ param: z.literal('GIT_QUARANTINE_PATH'), value: z.string() })
/** As git names it; nothing else that is reported is removed. */
const NAME = /^(?:tmp_objdir-)?incoming-[A-Za-z0-9]+$/

/**
 * The folder in which git has the objects of one push until it accepts them. Git 2.39 and newer
 * leave it there where a signal ends them. Several servers may push at the same time, so git itself
 * reports which one is that of a process.
 *
 * @see https://git-scm.com/docs/api-trace2
 */
export class Quarantine {
  readonly #folder: string
  readonly #report: string

  /** @param folder of the repository */
  constructor(folder: string) {
    this.#folder = folder
    this.#report = join(folder, `tmp_report-${randomUUID()}`)
  }

  /** The environment of the process that takes the push. */
  get env(): Readonly<Record<string, string>> {
    return { GIT_TRACE2_EVENT: this.#report, GIT_TRACE2_ENV_VARS: 'GIT_QUARANTINE_PATH' }
  }

  /** Removes what has not been accepted, once the process has ended. */
  async remove(): Promise<void> {
    const report = await readFile(this.#report, 'utf8').catch(() => '')
    for (const name of new Set(report.split('\n').flatMap(nameIn)))
      await removeAll(join(this.#folder, 'objects', name))
    await removeAll(this.#report)
  }
}

/** What it cannot remove now is removed by a later push. */
const removeAll = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)

function nameIn(line: string): readonly string[] {
  if (!line.includes('GIT_QUARANTINE_PATH')) return []
  const event = trySync(
    () => Event.parse(JSON.parse(line)),
    () => undefined,
  )
  const name = event.ok ? basename(event.value.value) : ''
  return NAME.test(name) ? [name] : []
}
