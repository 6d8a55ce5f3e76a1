// What clients may meet of this plugin: a kind of failure, and two events.
import { defineError, defineEvent, defineRuntimeEvent } from '@amodal/sdk'
import { z } from '@amodal/sdk/zod'

export const OfficeClosed = defineError({
  code: 'OFFICE_CLOSED',
  about: 'A note was left outside of office hours.',
  status: 409,
  fix: 'leave the note while the office is open',
})

export const NoteTaken = defineEvent({
  type: 'office-hours.note_taken',
  about: 'The agent has left a note for the office.',
  data: z.object({ text: z.string() }),
})

export const NoteLeft = defineRuntimeEvent({
  type: 'office-hours.note_left',
  about: 'Somebody has left a note for the office.',
  data: z.object({ hour: z.int() }),
})
