type Message = {
    readonly type: string;
} & Readonly<Record<string, unknown>>;
/** Lines of JSON on descriptor 3, to and from the server. */
export declare class Channel {
    #private;
    /** Without the server there is nothing left to do. */
    listen(heard: (message: Message) => void): void;
    send(message: Message): void;
    /** Sends the last message. */
    end(message: Message): void;
}
export {};
