import Sqlite from 'better-sqlite3'

export type User = {
  readonly id: number
  readonly email: string
  readonly customer: string | null
}

/** The application's own copy of a subscription. Only webhooks change it. */
export type Plan = {
  readonly subscription: string
  readonly plan: string
  readonly status: string
  readonly ends: number | null
  readonly renews: number
}

/** Opens the application's database. */
export function openDatabase(file = ':memory:') {
  const db = new Sqlite(file)
  db.exec(`
    create table users (id integer primary key, email text not null unique, customer text unique);
    create table sessions (token text primary key, user integer not null references users (id));
    create table subscriptions (
      subscription text primary key, user integer not null references users (id),
      plan text not null, status text not null, ends integer, renews integer not null
    );
    create table webhooks (id text primary key);
    create table mails (user integer not null references users (id), subject text not null);
  `)
  const find = <Row>(sql: string, ...values: unknown[]) => db.prepare(sql).get(...values) as Row | undefined
  const run = (sql: string, ...values: unknown[]) => db.prepare(sql).run(...values)
  return {
    close: () => db.close(),
    /** Returns the user with an email address, who is created at the first visit. */
    signUp: (email: string): User => {
      run('insert into users (email) values (?) on conflict do nothing', email)
      const user = find<User>('select * from users where email = ?', email)
      if (!user) throw new Error(`no user ${email}`)
      return user
    },
    startSession: (token: string, user: User) => run('insert into sessions values (?, ?)', token, user.id),
    userOf: (token: string) =>
      find<User>('select users.* from sessions join users on users.id = user where token = ?', token),
    setCustomer: (user: User, customer: string) =>
      run('update users set customer = ? where id = ?', customer, user.id),
    customerUser: (customer: string) => find<User>('select * from users where customer = ?', customer),
    /** Returns the newest subscription of a user. */
    planOf: (user: User) =>
      find<Plan>(
        'select subscription, plan, status, ends, renews from subscriptions where user = ? order by rowid desc',
        user.id,
      ),
    savePlan: (user: User, { subscription, plan, status, ends, renews }: Plan) =>
      run(
        `insert into subscriptions values (?, ?, ?, ?, ?, ?) on conflict (subscription)
         do update set plan = excluded.plan, status = excluded.status, ends = excluded.ends, renews = excluded.renews`,
        ...[subscription, user.id, plan, status, ends, renews],
      ),
    /** Reports whether a webhook is new, and remembers it: each can arrive more than once. */
    isNewWebhook: (id: string) =>
      run('insert into webhooks values (?) on conflict do nothing', id).changes === 1,
    sendMail: (user: User, subject: string) => run('insert into mails values (?, ?)', user.id, subject),
    mailsTo: (user: User) =>
      (
        db.prepare('select subject from mails where user = ? order by rowid').all(user.id) as {
          subject: string
        }[]
      ).map(({ subject }) => subject),
  }
}
export type Database = ReturnType<typeof openDatabase>
