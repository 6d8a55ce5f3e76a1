import { ok } from '@amodal/sdk'
import type { PartStarter } from '@amodal/plugin-repo-files/tokens'

/** `amodal add eval NAME`. */
export const evalStarter: PartStarter = {
  summary: 'cases that say whether the agent is good',
  part: ({ name }) =>
    ok({
      files: [{ path: `evals/${name}.yaml`, text: EVAL }],
      next: [
        `Write its cases and checks: \`amodal docs evals\``,
        `Run it: \`amodal eval --file ${name}.yaml\``,
      ],
    }),
}

const EVAL = `cases:
  - name: says-what-it-can-do
    input: What can you do?
    rubric:
      - Names something that this agent can do
    assert:
      - max_tokens: 20000
`
