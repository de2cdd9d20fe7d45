"""The suggested questions of the built-in datasets with their answers, computed by pandas alone.

The one idea: an answer that shares no code with the planner, the compiler or the oracle. Each entry of QUESTIONS has
`dataset`, `question`, `columns` (what each cell of a row is), `focus` (how many leading columns answer the question;
the rest is context), `ordered` (whether the order of rows is part of the answer) and `compute`, a function from the
dataset's tables (name -> DataFrame as read by `read`) to a list of rows. "Today" is the last day of the date column.
"""

import pandas as pd


def read(path):
    """Reads an exported table; columns that hold dates become dates."""
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    for name in frame.columns:
        if name in ("order_date", "created_at", "resolved_at", "timestamp"):
            frame[name] = pd.to_datetime(frame[name])
    return frame


def rows(frame):
    """Rows of plain Python values, dates as ISO text, nulls as None."""

    def plain(cell):
        if pd.isna(cell):
            return None
        if isinstance(cell, pd.Timestamp):
            return cell.date().isoformat()
        return cell.item() if hasattr(cell, "item") else cell

    return [[plain(cell) for cell in row] for row in frame.itertuples(index=False, name=None)]


def revenue_lines(tables):
    items = tables["order_items"]
    value = items["price"] * items["quantity"] * (100 - items["discount"]) / 100
    return items.assign(revenue=value)


def last_seven_days(moments):
    """The seven days that end with the last one."""
    today = moments.max().normalize()
    return (moments >= today - pd.Timedelta(days=6)) & (moments < today + pd.Timedelta(days=1))


def top_products_by_revenue(tables):
    lines = revenue_lines(tables).merge(tables["inventory"][["product_id", "name"]], on="product_id", validate="m:1")
    sums = lines.groupby("name", as_index=False)["revenue"].sum()
    return rows(sums.sort_values(["revenue", "name"], ascending=[False, True]).head(10))


def return_rate_by_category(tables):
    lines = tables["order_items"].merge(tables["orders"][["order_id", "returned"]], on="order_id", validate="m:1")
    return rows(lines.groupby("category", as_index=False)["returned"].mean())


def low_stock(tables):
    inventory = tables["inventory"]
    return rows(inventory[inventory["stock"] < 20][["name", "stock"]])


def revenue_by_category_last_month(tables):
    lines = revenue_lines(tables).merge(tables["orders"][["order_id", "order_date"]], on="order_id", validate="m:1")
    month = lines["order_date"].dt.to_period("M")
    previous = tables["orders"]["order_date"].max().to_period("M") - 1
    return rows(lines[month == previous].groupby("category", as_index=False)["revenue"].sum())


def average_order_value_by_month(tables):
    orders = tables["orders"]
    month = orders["order_date"].dt.to_period("M").dt.start_time.rename("month")
    return rows(orders.groupby(month)["total"].mean().reset_index())


def orders_by_status(tables):
    return rows(tables["orders"].groupby("status").size().reset_index())


def sla_compliance_by_priority(tables):
    return rows(tables["tickets"].groupby("priority", as_index=False)["sla_met"].mean())


def resolution_time_by_category(tables):
    return rows(tables["tickets"].groupby("category", as_index=False)["resolution_time_hours"].mean())


def satisfaction_by_channel(tables):
    return rows(tables["tickets"].groupby("channel", as_index=False)["csat_score"].mean())


def agents_with_lowest_satisfaction(tables):
    means = tables["tickets"].groupby("agent_id", as_index=False)["csat_score"].mean()
    return rows(means.sort_values(["csat_score", "agent_id"]).head(5))


def tickets_created_in_the_last_week(tables):
    return [[int(last_seven_days(tables["tickets"]["created_at"]).sum())]]


def tickets_over_48_hours(tables):
    return [[int((tables["tickets"]["resolution_time_hours"] > 48).sum())]]


def anomaly_rate_by_location(tables):
    return rows(tables["sensors"].groupby("location", as_index=False)["anomaly_flag"].mean())


def temperature_by_zone(tables):
    return rows(tables["sensors"].groupby("zone", as_index=False)["temperature_c"].mean())


def sensors_with_highest_vibration(tables):
    means = tables["sensors"].groupby("sensor_id", as_index=False)["vibration_mm_s"].mean()
    return rows(means.sort_values(["vibration_mm_s", "sensor_id"], ascending=[False, True]).head(5))


def sensors_with_low_battery(tables):
    readings = tables["sensors"]
    return rows(readings[readings["battery_pct"] < 20][["sensor_id"]].drop_duplicates().sort_values("sensor_id"))


def humid_readings(tables):
    return [[int((tables["sensors"]["humidity_pct"] > 80).sum())]]


def anomalies_per_day_in_the_last_week(tables):
    readings = tables["sensors"]
    chosen = readings[readings["anomaly_flag"] & last_seven_days(readings["timestamp"])]
    return rows(chosen.groupby(chosen["timestamp"].dt.normalize().rename("day")).size().reset_index())


def case(dataset, question, compute, columns, focus=None, ordered=False):
    focus = len(columns) if focus is None else focus
    return {"dataset": dataset, "question": question, "compute": compute,
            "columns": columns, "focus": focus, "ordered": ordered}


QUESTIONS = [
    case("ecommerce", "What are the top 10 products by revenue?", top_products_by_revenue,
         ["product", "revenue"], ordered=True),
    case("ecommerce", "What is the return rate by category?", return_rate_by_category, ["category", "return rate"]),
    case("ecommerce", "Which products have fewer than 20 units in stock?", low_stock, ["product", "stock"], focus=1),
    case("ecommerce", "What was the revenue by category last month?", revenue_by_category_last_month,
         ["category", "revenue"]),
    case("ecommerce", "What is the average order value by month?", average_order_value_by_month,
         ["month", "average order value"]),
    case("ecommerce", "How many orders are there by status?", orders_by_status, ["status", "orders"]),
    case("support", "What is the SLA compliance by priority?", sla_compliance_by_priority,
         ["priority", "SLA compliance"]),
    case("support", "What is the average resolution time by category?", resolution_time_by_category,
         ["category", "resolution time"]),
    case("support", "What is the average satisfaction score for each channel?", satisfaction_by_channel,
         ["channel", "satisfaction"]),
    case("support", "Which 5 agents have the lowest satisfaction?", agents_with_lowest_satisfaction,
         ["agent_id", "satisfaction"], focus=1, ordered=True),
    case("support", "How many tickets were created in the last week?", tickets_created_in_the_last_week, ["tickets"]),
    case("support", "How many tickets took more than 48 hours to resolve?", tickets_over_48_hours, ["tickets"]),
    case("sensors", "What is the anomaly rate by location?", anomaly_rate_by_location, ["location", "anomaly rate"]),
    case("sensors", "What is the average temperature by zone?", temperature_by_zone, ["zone", "temperature_c"]),
    case("sensors", "Which 5 sensors have the highest average vibration?", sensors_with_highest_vibration,
         ["sensor_id", "vibration"], focus=1, ordered=True),
    case("sensors", "Which sensors have a battery below 20 percent?", sensors_with_low_battery, ["sensor_id"]),
    case("sensors", "How many readings had a humidity above 80 percent?", humid_readings, ["readings"]),
    case("sensors", "How many anomalies were there per day in the last week?", anomalies_per_day_in_the_last_week,
         ["day", "anomalies"]),
]


def expected(dataset, tables):
    """The answers of one dataset's questions: a list of dicts like QUESTIONS' with `rows` in place of `compute`."""
    answers = []
    for entry in QUESTIONS:
        if entry["dataset"] == dataset:
            answer = {key: value for key, value in entry.items() if key != "compute"}
            answers.append(answer | {"rows": entry["compute"](tables)})
    return answers
