/** The texts of the widget, which a page may replace. */
export interface Texts {
  readonly heading: string
  readonly open: string
  readonly close: string
  readonly newChat: string
  readonly conversation: string
  readonly message: string
  readonly placeholder: string
  readonly send: string
  readonly stop: string
  readonly attach: string
  readonly remove: string
  readonly unsent: string
  readonly away: string
  readonly signIn: string
  readonly you: string
  readonly agent: string
  readonly thinking: string
  readonly approval: string
  readonly limit: string
  readonly question: string
  readonly approve: string
  readonly approveAll: string
  readonly decline: string
  readonly instead: string
  readonly goOn: string
  readonly finish: string
  readonly answer: string
  readonly choose: string
  readonly yes: string
  readonly no: string
  readonly unknownOutcome: string
  readonly approved: string
  readonly declined: string
  readonly expired: string
  readonly answered: string
  readonly stopped: string
  readonly failed: string
}

export const ENGLISH: Texts = {
  heading: 'Chat',
  open: 'Open the chat',
  close: 'Close',
  newChat: 'New conversation',
  conversation: 'Conversation',
  message: 'Message',
  placeholder: 'Write a message',
  send: 'Send',
  stop: 'Stop',
  attach: 'Attach a file',
  remove: 'Remove',
  unsent: 'Sent once the connection is back',
  away: 'No connection. What you send is delivered once it is back.',
  signIn: 'Only somebody who has signed in can answer this.',
  you: 'You',
  agent: 'Agent',
  thinking: 'Thinking',
  approval: 'Needs your approval',
  limit: 'A limit is reached. Go on?',
  question: 'Some questions',
  approve: 'Approve',
  approveAll: 'Approve in this conversation',
  decline: 'Decline',
  instead: 'What should it do instead? (optional)',
  goOn: 'Continue',
  finish: 'Finish',
  answer: 'Answer',
  choose: 'Choose…',
  yes: 'Yes',
  no: 'No',
  unknownOutcome: 'The connection broke off, so it is not known whether this happened',
  approved: 'Approved',
  declined: 'Declined',
  expired: 'Not answered in time',
  answered: 'Answered',
  stopped: 'Stopped',
  failed: 'Something went wrong',
}
