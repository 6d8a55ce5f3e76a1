import { describe, expect, it } from 'vitest'
import { agentWith, everything, modern, node, type Turn } from './support/agent.ts'

const SAMPLING = 'every__trigger-sampling-request'
/** Whoever is asked says the same to everything. */
const saying = (action: string) => ({
  answer: (asked: Turn['asked'][number]) =>
    asked.type === 'confirmation_required' ? { approved: true } : { answers: { _action: action } },
})
const textsOf = ({ asked }: Turn): readonly string[] =>
  asked.flatMap((one) => (one.type === 'ask_choice' ? [one.question] : []))

describe('the model, for server-everything', () => {
  it('is lent to nobody whose connection does not say so', async () => {
    const agent = await agentWith({ connections: { every: node(everything) } })
    expect(await agent.tools()).not.toContain(SAMPLING)
  })

  it('is asked once a person has said yes to what it is asked, and not otherwise', async () => {
    const agent = await agentWith({
      connections: { every: { ...node(everything), sampling: 'ask' } },
    })
    const yes = await agent.call(SAMPLING, { prompt: 'an idea' }, saying('accept'))
    expect(textsOf(yes)).toEqual([
      expect.stringContaining(
        '"every" asks, for trigger-sampling-request: it wants to ask the model of this agent',
      ),
    ])
    expect(textsOf(yes)[0]).toContain('context: an idea')
    expect(yes.result).toContain('the model says: ')
    // it hears the words of the server, and nothing of the conversation
    const aside = agent
      .told()
      .find(({ messages }) =>
        JSON.stringify(messages).includes('You answer a request of the MCP server'),
      )
    expect(aside?.messages).toHaveLength(2)
    expect(aside?.tools ?? []).toEqual([])

    const no = await agent.call(SAMPLING, { prompt: 'an idea' }, saying('decline'))
    expect(`${no.result ?? ''}${no.error ?? ''}`).toContain('the person does not want that')
  })

  it('is asked just so, where the connection allows it', async () => {
    const agent = await agentWith({
      connections: { every: { ...node(everything), sampling: 'allow' } },
    })
    const turn = await agent.call(SAMPLING, { prompt: 'an idea', maxTokens: 50 })
    expect(textsOf(turn)).toEqual([])
    expect(turn.result).toContain('the model says: ')
  })
})

describe('folders', () => {
  it('are those that the connection names', async () => {
    const agent = await agentWith({
      connections: { every: { ...node(everything), roots: ['.', 'docs'] } },
    })
    const { result = '' } = await agent.call('every__get-roots-list')
    expect(result).toContain('docs')
    expect(result).toContain(`file://${agent.dir}`)
  })
})

describe('an address that a server wants to be opened', () => {
  it('is shown to a person where the connection says so, and opened by nobody else', async () => {
    const agent = await agentWith({
      connections: { every: { ...node(everything), openUrls: true } },
    })
    const turn = await agent.call(
      'every__trigger-url-elicitation',
      { url: 'https://example.com/verify', message: 'Please verify.' },
      saying('accept'),
    )
    expect(textsOf(turn)[0]).toContain('Open this address of example.com yourself')
    expect(textsOf(turn)[0]).toContain('https://example.com/verify')
    expect(turn.result).toContain('accept')
  })

  it('may be what an older server ends a call for, which is made again once it was opened', async () => {
    const agent = await agentWith({
      connections: { every: { ...node(everything), openUrls: true } },
    })
    const args = { url: 'https://example.com/verify', message: 'Please verify.', errorPath: true }
    const turn = await agent.call('every__trigger-url-elicitation', args, saying('accept'))
    expect(textsOf(turn)).toEqual([
      expect.stringContaining('Open this address of modelcontextprotocol.io yourself'),
      expect.stringContaining('https://example.com/verify'),
    ])
    expect(turn.result).toContain('accept')
    const no = await agent.call(
      'every__trigger-url-elicitation',
      { ...args, url: 'https://example.com/other' },
      saying('decline'),
    )
    expect(no.error).toContain('the person does not')
  })

  it('is not shown if it is no https address', async () => {
    const agent = await agentWith({
      connections: { every: { ...node(everything), openUrls: true } },
    })
    const turn = await agent.call('every__trigger-url-elicitation', {
      url: 'http://127.0.0.1:1/verify',
      message: 'Please verify.',
    })
    expect(textsOf(turn)).toEqual([])
  })
})

describe('a server of the newest protocol', () => {
  it('gets folders and the model in one round, once a person has said yes', async () => {
    const agent = await agentWith({
      connections: { new: { ...modern(), sampling: 'ask', roots: ['.'] } },
    })
    const turn = await agent.call('new__think', {}, saying('accept'))
    expect(textsOf(turn)).toHaveLength(1)
    expect(turn.result).toContain('the model says: An idea?')
    expect(turn.result).toContain(`file://${agent.dir}`)
    const no = await agent.call('new__think', {}, saying('decline'))
    expect(no.error).toContain('the person does not let it ask the model')
  })

  it('is told that it may not where the connection does not say so', async () => {
    const agent = await agentWith({ connections: { new: modern() } })
    expect((await agent.call('new__borrow')).error).toContain('do not declare')
  })
})
