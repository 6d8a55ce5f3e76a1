const ORDERS = new Map([
  [7, 'shipped'],
  [8, 'in the warehouse'],
])

export async function run_tool(
  tool_input: { readonly order: number },
  _metadata: { readonly invocation_mode: 'regular' | 'conversation-simulation' },
  _config: Readonly<Record<string, string>>,
  _conversation: object | null,
  send_status_event: (event: unknown) => Promise<void>,
  _user_variables: Readonly<Record<string, string>>,
) {
  const { order } = tool_input
  await send_status_event({ message: `Looking for order ${order}` })
  return { order, status: ORDERS.get(order) ?? 'unknown' }
}
