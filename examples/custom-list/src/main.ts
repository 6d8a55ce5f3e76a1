import { explain, LOCAL_TENANT, principalId, startAgent } from '@amodal/sdk'
import { list } from './list.ts'

/**
 * One question from the command line: `node examples/custom-list/src/main.ts "Is the garden room
 * free at ten?"`
 */
const started = await startAgent(list(process.env))
if (!started.ok) throw new Error(explain(started.error))
const { agent, close } = started.value

const person = agent.as({ tenant: LOCAL_TENANT, principal: principalId('me') })
const turn = await person.ask({ text: process.argv[2] ?? 'Which rooms are there?' })
if (!turn.ok) throw new Error(turn.error.message)
for (const event of turn.value.events)
  if (event.type === 'error') console.error(`${event.code}: ${event.message}`)
console.log(turn.value.text)
await close()
