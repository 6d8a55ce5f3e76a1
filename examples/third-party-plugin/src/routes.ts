import {
  announce,
  SessionFacts,
  sessionId,
  TenantDatabase,
  type Generation,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { z } from '@amodal/sdk/zod'
import { failed, readJson } from '@amodal/plugin-http/tokens'
import { NoteLeft } from './kinds.ts'
import { leave, notes, type DatabaseOf, type Hours } from './note.ts'

const BODY = z.object({ key: z.string(), hour: z.int().min(0).max(23), text: z.string().min(1) })

/**
 * `GET /api/office-hours`: what the studio shows. `POST` leaves a note, and is told
 * `OFFICE_CLOSED` at other hours.
 */
export const createRoutes = (
  hours: Hours,
  databaseOf: DatabaseOf,
  generation: () => Generation,
): RouteHandler => ({
  async fetch(request, context) {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    const { tenant, principal } = caller.value
    const scope = generation().scope.child('session', [
      [SessionFacts, { tenant, principal, session: sessionId('office-hours') }],
    ])
    try {
      const database = databaseOf({ scope })
      if (request.method !== 'POST') return await shown(database, context)
      const body = await readJson(request, BODY)
      if (!body.ok) return failed(body.error)
      const left = await leave(database, hours, body.value, context.signal)
      if (!left.ok) return failed(left.error)
      announce(generation(), NoteLeft({ hour: body.value.hour }), { tenant })
      return Response.json({ left: true }, { status: 201 })
    } finally {
      await scope.close()
    }
  },
})

async function shown(database: TenantDatabase, { signal }: RouteContext): Promise<Response> {
  const found = await notes(database, signal)
  if (!found.ok) return failed(found.error)
  return Response.json({
    widgets: [
      { widget_type: 'metric', data: { label: 'Notes', value: found.value.length } },
      {
        widget_type: 'data-table',
        data: {
          columns: ['hour', 'text'],
          rows: found.value.map(({ hour, text }) => [hour, text]),
        },
      },
    ],
  })
}
