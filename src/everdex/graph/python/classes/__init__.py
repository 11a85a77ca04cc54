"""Pass 3: what `x.name` is: lines of classes, attributes, what is stored, declared, decorated or computed."""
