import { contentText, reply, type Script } from '@amodal/sdk/testing'
import { ATTACKS } from './xss.ts'

export const WORDS = ['One ', 'two ', 'three ', 'four ', 'five ', 'six ', 'seven ', 'eight.']

const MARKDOWN = `## Orders

1. **A-17** is *late*
   - see [the order](https://example.com/a-17)
2. \`A-18\` is paid

| Order | Sum |
| --- | --- |
| A-17 | 20 |

\`\`\`sql
select <b>1</b>
\`\`\`

<img src=x onerror=alert(1)>`

/** A model that does what the message says, for every interface that shows it. */
export const script: Script = ({ messages }) => {
  const message = contentText(messages.findLast(({ role }) => role === 'user'))
  if (messages.at(-1)?.role === 'tool') return reply.text('Done.')
  if (message.includes('slowly')) return reply.text(WORDS, { pace: 300 })
  if (message.includes('refund'))
    return reply.toolCalls({ name: 'refund_order', arguments: { order: 'A-17', amount: 20 } })
  if (message.includes('ask me'))
    return reply.toolCalls({
      name: 'ask_user',
      arguments: { question: 'Which order?', options: ['A-17', 'A-18'] },
    })
  if (message === 'markdown') return reply.text(MARKDOWN)
  if (message.startsWith('echo ')) return reply.text(message.slice('echo '.length))
  if (message === 'attack the tool')
    return reply.toolCalls({
      name: 'refund_order',
      arguments: { order: ATTACKS.join('\n'), amount: 1 },
    })
  if (message === 'attack the widget')
    return reply.toolCalls({
      name: 'present',
      arguments: { widget_type: 'card', data: { title: ATTACKS.join(' '), lines: [...ATTACKS] } },
    })
  if (message === 'attack the question')
    return reply.toolCalls({
      name: 'ask_user',
      arguments: { question: ATTACKS.join('\n'), options: ATTACKS.slice(0, 8) },
    })
  if (message === 'attack the error') return reply.httpError(400, { message: ATTACKS.join('\n') })
  if (message.includes('fail')) return reply.httpError(400, { message: 'the model takes no such' })
  return reply.text(['Hel', 'lo.'])
}
