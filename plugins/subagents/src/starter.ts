import { ok } from '@amodal/sdk'
import type { PartStarter } from '@amodal/plugin-repo-files/tokens'

/** `amodal add agent NAME`. */
export const agentStarter: PartStarter = {
  summary: 'a sub-agent for tasks of their own, which runs can use as a profile',
  part: ({ name }) =>
    ok({
      files: [{ path: `agents/${name}/AGENT.md`, text: AGENT }],
      next: [
        'Write its prompt below the fields, and name the tools that it needs; fields: `amodal docs write-an-agent#sub-agents`',
      ],
    }),
}

const AGENT = `---
description: What it does, in a sentence that the main agent reads.
maxToolCalls: 10
timeout: 60
---
You do one task. Find out what is needed with the tools you have, and answer with what you found and where it is from. Say plainly what you could not find out.
`
