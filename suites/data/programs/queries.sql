-- Workload for sqlite3: tables, indices, joins, aggregates, text, windows, updates.
create table item(id integer primary key, name text, price real, kind integer);
create table sale(id integer primary key, item integer references item, day text, amount integer);
create index sale_item on sale(item);
begin;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
insert into item select i, printf('item %05d', (i * 7919) % 2000), (i * 37 % 1000) / 8.0, i % 11 from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
insert into sale select i, 1 + (i * 104729) % 2000, date('2020-01-01', printf('+%d days', i % 700)), 1 + i % 9 from n;
commit;
select kind, count(*), sum(price), avg(length(name)), min(name), max(upper(name)) from item group by kind order by 3 desc;
select item.name, sum(amount * price) as total from sale join item on item.id = sale.item
  where day between '2020-03-01' and '2021-02-01' group by item.id having total > 100 order by total desc limit 20;
select substr(day, 1, 7) as month, sum(amount), rank() over (order by sum(amount) desc) from sale group by month;
select count(*) from item where name like '%9%1%' or name glob '*[02468]';
select count(distinct day || '/' || amount) from sale where item in (select id from item where price < 20);
select json_extract(json_object('a', json_array(id, name), 'b', price), '$.a[1]') from item where id % 100 = 0;
update sale set amount = amount + 1 where item in (select id from item where kind = 3);
delete from sale where id % 13 = 0;
create view daily as select day, sum(amount) as amount from sale group by day;
select a.day, a.amount - b.amount from daily a join daily b on b.day = date(a.day, '-1 day') order by 2 desc limit 5;
select hex(zeroblob(8)), round(sqrt(2.0), 6), trim('  x '), replace('a-b-c', '-', '+'), strftime('%j', '2021-05-06');
pragma integrity_check;
vacuum;
