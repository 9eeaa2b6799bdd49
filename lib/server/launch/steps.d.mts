export function step<T>(title: string, work: () => Promise<T>): Promise<T>;
