import { reply, type Script } from '@amodal/sdk/testing'
import { describe, expect, test } from 'vitest'
import { gives, scene, redacted, type Scene } from './support.ts'

const SSN = '536-22-9871'
const pieces = (text: string): readonly string[] => text.match(/[^]{1,3}/g) ?? []
const kept = async (
  world: Scene,
  told: { readonly session: Parameters<Scene['journal']>[0] },
): Promise<string> =>
  JSON.stringify(await world.journal(told.session)) + (await world.again(told.session))

describe('a reply', () => {
  test('leaves without numbers of persons and banks, live, in the journal, and told again', async () => {
    await using world = await scene({
      script: () =>
        reply.text(pieces(`The card is 4111 1111 1111 1111 and the SSN is ${SSN}. All done.`)),
    })
    const told = await world.say('who is it?')
    expect(told.text).toBe('The card is [REDACTED] and the SSN is [REDACTED]. All done.')
    expect(await kept(world, told)).not.toMatch(/4111 1111|22-9871/)
  })

  test('ends where a withheld value would begin, says so, and goes on to nothing', async () => {
    const script: Script = [
      reply.toolCalls([{ name: 'look', arguments: {} }]),
      reply.text('I know it.'),
      reply.text(pieces('It is cfo-leaves-in-march, and more.')),
    ]
    await using world = await scene({
      script,
      tools: [
        gives('look', { id: 'c1' }, [
          redacted('CFO leaves in March', { field: 'notes', sensitivity: 'internal' }),
        ]),
      ],
    })
    const first = await world.say('look')
    const told = await world.say('tell me', first.session)
    expect(told.text).toBe(
      'It is \n\n[The rest of this reply was withheld: it held restricted data.]',
    )
    expect(told.events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'OUTPUT_BLOCKED' }),
    )
    expect(await kept(world, told)).not.toMatch(/march/i)
  })

  test('holds a name only where it is said whose it is', async () => {
    const script: Script = [
      reply.toolCalls([{ name: 'look', arguments: {} }]),
      reply.text('I know it.'),
      reply.text(pieces('We met in May, when it rained.')),
      reply.text(pieces('The contact is called May, as it happens.')),
    ]
    const name = redacted('May', {
      field: 'first_name',
      sensitivity: 'pii_name',
      policy: 'retrieve_but_redact',
      handle: '[redacted:contact.firstname:0a1b2c3d]',
    })
    await using world = await scene({ script, tools: [gives('look', { id: 'c1' }, [name])] })
    const { session } = await world.say('look')
    expect((await world.say('when?', session)).text).toBe('We met in May, when it rained.')
    expect((await world.say('who?', session)).text).toBe(
      'The contact is called [REDACTED], as it happens.',
    )
  })

  test('gives the value behind a handle to whom it may be given, and a mark to others', async () => {
    const email = redacted('maria@desk.example', {
      field: 'email',
      policy: 'retrieve_but_redact',
      handle: '[redacted:contact.email:0a1b2c3d]',
      roles: ['supervisor'],
    })
    const script: Script = [
      reply.toolCalls([{ name: 'look', arguments: {} }]),
      ...[1, 2].map(() =>
        reply.text(pieces('Write to [redacted:contact.email:0a1b2c3d], please.')),
      ),
    ]
    await using world = await scene({
      script,
      tools: [gives('look', { email: '[redacted:contact.email:0a1b2c3d]' }, [email])],
    })
    const { session, text } = await world.say('look', undefined, 'supervisor')
    expect(text).toBe('Write to maria@desk.example, please.')
    expect((await world.say('again', session, 'clerk')).text).toBe('Write to [REDACTED], please.')
    expect(JSON.stringify(await world.journal(session))).not.toContain('maria@')
  })

  test('that claims to speak of all says of what', async () => {
    const access = {
      rules: [],
      fallback: { read: 'allow', write: 'confirm' },
      fieldRestrictions: [],
      rowScoping: [
        { entity: 'Deal', field: 'owner_id', userContextField: 'userId', label: 'your deals' },
      ],
      delegations: { enabled: false, escalateConfirm: false },
      alternativeLookups: [],
    }
    const parts = {
      connections: [
        {
          name: 'crm',
          protocol: 'rest',
          spec: {},
          access,
          accessGiven: true,
          surface: '',
          entities: '',
          rules: '',
          file: '',
        },
      ],
    }
    await using world = await scene({
      parts,
      script: [
        reply.text('I looked at all open deals.'),
        reply.text('I looked at all your deals.'),
      ],
    })
    expect((await world.say('look')).text).toBe(
      'I looked at all open deals.\n\n_This covers your deals only._',
    )
    expect((await world.say('look')).text).toBe('I looked at all your deals.')
  })

  test('is only told of where the configuration says so', async () => {
    await using world = await scene({
      script: () => reply.text(pieces(`The SSN is ${SSN}.`)),
      config: { patterns: 'warn' },
    })
    const { text, events } = await world.say('who?')
    expect(text).toBe(`The SSN is ${SSN}.`)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'OUTPUT_BLOCKED' }),
    )
  })
})

describe('what a tool is asked and answers', () => {
  test('is shown without what may not leave, and the model sees what it has to work with', async () => {
    const script: Script = [
      reply.toolCalls([{ name: 'look', arguments: { v: `SSN ${SSN}` } }]),
      reply.text('Done.'),
    ]
    await using world = await scene({
      script,
      tools: [gives('look', { text: `his SSN is ${SSN}`, account_number: 12_345_678_901 })],
    })
    const told = await world.say('look')
    expect(JSON.stringify(told.events)).not.toMatch(/22-?9871|12345678901/)
    expect(await world.again(told.session)).not.toMatch(/22-?9871|12345678901/)
    expect(JSON.stringify(world.model.requests.at(-1)?.body)).toContain(SSN)
    const view = await world.as().session(told.session)
    expect(JSON.stringify(view)).not.toMatch(/22-?9871|12345678901/)
    const asked = (await world.journal(told.session)).filter(
      ({ kind }) => kind === 'model_reply' || kind === 'tool_intent',
    )
    expect(JSON.stringify(asked)).toContain('[REDACTED]')
    expect(JSON.stringify(asked)).not.toContain(SSN)
  })

  test('holds no value that an earlier answer withheld', async () => {
    const script: Script = [
      reply.toolCalls([{ name: 'look', arguments: {} }]),
      reply.toolCalls([{ name: 'again', arguments: {} }]),
      reply.text('Done.'),
    ]
    const tools = [
      gives('look', { id: 'c1' }, [
        redacted('planted-4417-note', {
          handle: '[redacted:contact.note:0a1b2c3d]',
          policy: 'retrieve_but_redact',
        }),
      ]),
      gives('again', { log: 'the note was Planted 4417 Note, as said' }),
    ]
    await using world = await scene({ script, tools })
    await world.say('look')
    expect(JSON.stringify(world.model.requests.at(-1)?.body)).toContain(
      'the note was [redacted:contact.note:0a1b2c3d], as said',
    )
  })
})

test('the title of a session has no number of a person either', async () => {
  await using world = await scene({ script: () => reply.text('ok') })
  const { session } = await world.say(`my SSN is ${SSN}`)
  const view = await world.as().session(session)
  expect(view.ok && view.value.row.title).toBe('my SSN is [REDACTED]')
})
