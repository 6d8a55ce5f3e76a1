interface Targets {
    readonly server: number;
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly port: number;
    readonly marker: string;
}
export default _default;
declare function _default({ server, read, write, port, marker }: Targets): Promise<object>;
