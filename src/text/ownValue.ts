/** What an object of ours holds under a name that others choose; nothing that every object has, such as `constructor`. */
export const ownValue = <A>(of: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined
