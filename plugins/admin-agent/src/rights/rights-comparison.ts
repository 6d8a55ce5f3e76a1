import { messageOf, tryAsync, type Agent, type Generation } from '@amodal/sdk'
import type { FileChange } from '@amodal/plugin-repo-files/tokens'
import { carriesRights } from '../repo/repo-path.ts'
import { compareRights, type RightsReport } from '@amodal/plugin-rights/tokens'

/** Compares the rights of the files in use with those after a proposed change. */
export class RightsComparison {
  readonly #agent: Agent
  readonly #generation: () => Generation

  constructor(agent: Agent, generation: () => Generation) {
    this.#agent = agent
    this.#generation = generation
  }

  /**
   * A change that cannot be compared is shown all the same, with the reason.
   *
   * @returns `undefined` where no file of the change carries rights
   */
  async of(files: readonly FileChange[]): Promise<RightsReport | undefined> {
    const bundle = this.#agent.bundle()
    if (!bundle) return unknown('the files of the agent are not loaded')
    const carrying = files.map(({ path }) => path).filter(carriesRights)
    const report = await tryAsync(
      () => compareRights(bundle, files, carrying, this.#generation()),
      messageOf,
    )
    return report.ok ? report.value : unknown(`rights cannot be compared: ${report.error}`)
  }
}

const unknown = (problem: string): RightsReport => ({
  changes: [],
  truncated: false,
  problems: [problem],
  not_compared: [],
})
