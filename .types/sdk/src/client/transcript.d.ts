import type { ClientEvent } from './types.ts';
/**
 * The events of a session as they count in the end: a `reset` takes back what a crash or a retry made void, before
 * the replay that follows tells it again.
 *
 * @example
 * const transcript = new Transcript()
 * for await (const event of client.send({ text: 'hello' })) {
 *   transcript.push(event)
 *   show(transcript.text)
 * }
 */
export declare class Transcript {
    #private;
    get events(): readonly ClientEvent[];
    get text(): string;
    push(event: ClientEvent): void;
}
